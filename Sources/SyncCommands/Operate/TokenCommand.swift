import Operations
import PGStore
import Postgres
import StrictJSON
import SyncEngine
import WireFormats

/// `syncserver token …`: creates, lists, replaces and revokes tokens.
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
                    .value(
                        "grace", "TIME", "how long the old one is still accepted",
                        standard: Tokens.graceDefault.shortText),
                    expires("when the new one ends, as of ‘token create’", "after as long as the old one was made for"),
                    .database, .json,
                ],
                run: rotate),
        ])

    private static let id = ArgumentSpec("ID", "as ‘token list’ has it")

    private static func expires(_ help: String, _ standard: String) -> OptionSpec {
        .value("expires", "WHEN", help, standard: standard)
    }

    private static func create(_ options: Options) async throws -> Int32 {
        let grant = try grant(options)
        let expiry = try StatedTime(options, "expires")
        let token = try await Environment.withSession(options) { session in
            try await explained { try await Tokens(session).create(grant, until: expiry?.moment) }
        }
        if options.has("json") {
            printNew(token)
        } else {
            Terminal.print(token.secret.text)
            let end = token.expires.map { " until \($0)" } ?? ""
            Terminal.note("This is the only time that the token is shown. It may \(grant.role.rawValue)\(end).")
        }
        return 0
    }

    /// Runs an operation on tokens, and converts its errors to errors that name the command's options.
    static func explained<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch let error as PastMoment {
            throw error.usageError(of: "expires")
        } catch let error as TokenError {
            switch error {
            case .unknown(let id):
                throw CommandError("There is no token \(id). ‘token list --all’ has those that there are.")
            case .notValid(let id, let state):
                throw CommandError("The token \(id) is \(state.rawValue). Make a new one: ‘token create’.")
            }
        }
    }

    /// Prints a new token with its secret as JSON.
    static func printNew(_ token: NewToken, replacing old: TokenID? = nil) {
        Terminal.print(
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("token", token.secret.text)
                writer.member("id", token.id.description)
                if let space = token.grant.spaces.first { writer.member("space", space) }
                writer.member("expires", token.expires?.description)
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
