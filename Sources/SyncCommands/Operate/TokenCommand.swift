import PGStore
import Postgres
import SyncEngine
import SyncServer
import WireFormats

/// `syncserver token …`: makes, lists, replaces and revokes tokens.
struct TokenCommand {
    static let spec = CommandSpec(
        "token", "Make, list, replace and revoke the tokens that clients authenticate with",
        subcommands: [
            CommandSpec(
                "create", "Make a bearer token and print it, once",
                details: [
                    "The server keeps only its SHA-256. The first space is what ‘spaces/me’ means; where there is "
                        + "none, the subject's own, which is made on first use. Requests of all tokens of one "
                        + "subject share what the server gives to one."
                ],
                options: [
                    .app,
                    .value("subject", "NAME", "whom the token is for", isRequired: true),
                    .value(
                        "space", "UUID",
                        "a space that it grants, whether the subject is in it or not; without one it reaches those "
                            + "that the subject is in", isRepeated: true),
                    .value(
                        "role", "ROLE", "read or write", kind: .words(["read", "write"]), isRequired: true),
                    .value(
                        "identity", "FILE",
                        "the file of ‘serve --identity’: refuse a subject that one of its providers could name",
                        kind: .file),
                    expires(
                        "when it ends: after a time such as 90d, or at a date such as 2027-01-31, 0:00 UTC", "never"),
                    .database, .json,
                ],
                run: create),
            CommandSpec(
                "list", "List the tokens that are valid: ids, never secrets",
                details: ["When a token was last used is known to an hour."],
                options: [
                    .app("only what lets into this app"),
                    .value("subject", "NAME", "only what is for this subject"),
                    .flag("all", "also those that have expired or were revoked"), .database, .json,
                ],
                run: list),
            CommandSpec(
                "revoke", "Let nobody in by a token any more: within 5 s, and 30 s where a stream is open",
                arguments: [id], options: [.database, .json], run: revoke),
            CommandSpec(
                "rotate", "Make a token that allows the same as another, and let that one end",
                details: [
                    "The new one is printed, once. The old one is accepted as long as ‘--grace’ says, so that devices "
                        + "can be given the new one meanwhile."
                ],
                arguments: [id],
                options: [
                    .value("grace", "TIME", "how long the old one is still accepted", standard: graceDefault.shortText),
                    expires("when the new one ends, as of ‘token create’", "after as long as the old one was made for"),
                    .database, .json,
                ],
                run: rotate),
        ])

    /// The default time for which a replaced token stays valid, a week: every device in use connects within it, and
    /// somebody who is away for a few days need not sign in again.
    static let graceDefault = Duration.seconds(7 * 86_400)

    private static let id = ArgumentSpec("ID", "as ‘token list’ has it")

    private static func expires(_ help: String, _ standard: String) -> OptionSpec {
        .value("expires", "WHEN", help, standard: standard)
    }

    private static func create(_ options: Options) async throws -> Int32 {
        let grant = try grant(options)
        let expiry = try StatedTime(options, "expires")
        let secret = Secret()
        let expires = try await Environment.withSession(options) { session in
            let end = try expiry?.time(at: try await now(session))
            try await session.transaction { session in
                try TokenStore.add(secret, grant, expiry: end, session)
                let id = TokenID(ofHash: secret.hash)
                try session.execute(
                    OperatorEvents.noting(
                        "token create", app: grant.app,
                        detail: "\(id), \(grant.role.rawValue), until \(end.map(\.description) ?? "it is revoked")"))
            }
            return end
        }
        if options.has("json") {
            printNew(secret, grant, expires)
        } else {
            Terminal.print(secret.text)
            let end = expires.map { " until \($0)" } ?? ""
            Terminal.note("This is the only time that the token is shown. It may \(grant.role.rawValue)\(end).")
        }
        return 0
    }

    /// The database's time, which decides when tokens expire.
    static func now(_ session: isolated Session) throws(PGError) -> Timestamp {
        try session.execute("SELECT clock_timestamp()").timestamp(0, 0)
    }

    /// Prints a new token as JSON.
    static func printNew(_ secret: Secret, _ grant: Grant, _ expires: Timestamp?, replacing old: TokenID? = nil) {
        Terminal.print(
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("token", secret.text)
                writer.member("id", TokenID(ofHash: secret.hash).description)
                if let space = grant.spaces.first { writer.member("space", space) }
                writer.member("expires", expires?.description)
                writer.member("replaces", old?.description)
                writer.endObject()
            })
    }

    private static func grant(_ options: Options) throws -> Grant {
        let app = try options.appName()
        let known = try Environment.plans().map(\.app)
        guard known.contains(app) else {
            throw UsageError("There is no app ‘\(app)’; there is \(known.joined(separator: ", ")).")
        }
        guard let role = Grant.Role(rawValue: try options.required("role")) else {
            throw UsageError("‘--role’ takes read or write.")
        }
        let texts = options.all("space")
        let spaces = texts.compactMap { ID($0) }
        guard spaces.count == texts.count else { throw UsageError("‘--space’ takes a UUID.") }
        let subject = try options.subject()
        if let file = options["identity"] { try IdentityOption.check(subject, in: file, try Environment.plans()) }
        return Grant(app: app, subject: subject, role: role, spaces: spaces)
    }
}
