import PGStore
import WireFormats

/// `syncserver token create`
struct TokenCommand {
    static let usage = """
        syncserver token create --app APP --subject NAME --space UUID [--space UUID …] --role read|write
            prints a bearer token, once; the first space is what ‘spaces/me’ means, and the subject is whose
            share of the server its requests take

          --database URL      the database (DATABASE_URL); without it, the private cluster in .syncserver/postgres
          --json              for machines
        """

    static func run(_ words: [String]) async throws -> Int32 {
        let options = try Options(words, taking: ["app", "subject", "space", "role", "database"], flags: ["json"])
        guard options.positional == ["create"] else { throw UsageError(usage) }
        let grant = try grant(options)
        let secret = Secret()
        try await Environment.withSession(options) { session in try await TokenStore.add(secret, grant, session) }
        if options.has("json") {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("token")
            writer.string(secret.text)
            writer.key("space")
            writer.id(grant.spaces[0])
            writer.endObject()
            Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
        } else {
            Terminal.print(secret.text)
            Terminal.note("This is the only time that the token is shown. It may \(grant.role.rawValue).")
        }
        return 0
    }

    private static func grant(_ options: Options) throws -> Grant {
        let app = try options.required("app")
        let known = try Environment.plans().map(\.app)
        guard known.contains(app) else {
            throw UsageError("There is no app ‘\(app)’; there is \(known.joined(separator: ", ")).")
        }
        guard let role = Grant.Role(rawValue: try options.required("role")) else {
            throw UsageError("‘--role’ takes read or write.")
        }
        let texts = options.all("space")
        let spaces = texts.compactMap { ID($0) }
        guard !spaces.isEmpty, spaces.count == texts.count else { throw UsageError("‘--space’ takes a UUID.") }
        return Grant(app: app, subject: try options.required("subject"), role: role, spaces: spaces)
    }
}
