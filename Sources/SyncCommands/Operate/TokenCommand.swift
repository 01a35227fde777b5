import PGStore
import SyncServer
import WireFormats

/// `syncserver token create`
struct TokenCommand {
    static let spec = CommandSpec(
        "token", "Make the tokens that clients authenticate with",
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
                    .database, .json,
                ],
                run: create)
        ])

    private static func create(_ options: Options) async throws -> Int32 {
        let grant = try grant(options)
        let secret = Secret()
        try await Environment.withSession(options) { session in try await TokenStore.add(secret, grant, session) }
        if options.has("json") {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("token", secret.text)
            if let space = grant.spaces.first { writer.member("space", space) }
            writer.endObject()
            Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
        } else {
            Terminal.print(secret.text)
            Terminal.note("This is the only time that the token is shown. It may \(grant.role.rawValue).")
        }
        return 0
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
        return Grant(app: app, subject: try options.required("subject"), role: role, spaces: spaces)
    }
}
