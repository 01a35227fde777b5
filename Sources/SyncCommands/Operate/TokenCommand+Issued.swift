import Operations
import PGStore
import Postgres
import StrictJSON
import SyncEngine
import WireFormats

/// The subcommands for existing tokens.
extension TokenCommand {
    static func list(_ options: Options) async throws -> Int32 {
        let (app, subject) = (options["app"], options["subject"].map { Subject($0) })
        if let app { _ = try Environment.declaration(app) }
        let (tokens, time) = try await Environment.withSession(options) { session in
            try await Tokens(session).all(app: app, subject: subject)
        }
        let shown = options.has("all") ? tokens : tokens.filter { $0.state(at: time) == .valid }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("tokens", each: shown) { $1.write(to: &$0, at: time) }
                    writer.endObject()
                })
        } else if shown.isEmpty {
            Terminal.print(
                "There are no tokens\(options.has("all") ? "" : " that are valid"). Make one: ‘token create’.")
        } else {
            Terminal.print(([heading] + shown.map { $0.row(at: time) }).joined(separator: "\n"))
        }
        return 0
    }

    private static let heading =
        "ID                APP           ROLE   SPACES  CREATED     EXPIRES     LAST USED   STATE    SUBJECT"

    static func revoke(_ options: Options) async throws -> Int32 {
        let id = try tokenID(options)
        let was = try await Environment.withSession(options) { session in
            try await explained { try await Tokens(session).revoke(id) }
        }
        if options.has("json") {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("id", id.description)
                    writer.member("was", was.rawValue)
                    writer.endObject()
                })
        } else if was == .revoked {
            Terminal.print("The token \(id) was revoked before.")
        } else {
            Terminal.print(
                "The token \(id) is revoked. Servers accept it for 5 s more at most; streams end within 30 s.")
        }
        return 0
    }

    static func rotate(_ options: Options) async throws -> Int32 {
        let id = try tokenID(options)
        let grace = try options.duration("grace") ?? Tokens.graceDefault
        let expiry = try StatedTime(options, "expires")
        let token = try await Environment.withSession(options) { session in
            try await explained { try await Tokens(session).rotate(id, grace: grace, until: expiry?.moment) }
        }
        if options.has("json") {
            printNew(token.new, replacing: id)
        } else {
            Terminal.print(token.new.secret.text)
            let until = token.new.expires.map { ", until \($0)" } ?? ""
            Terminal.note(
                "This is the only time that the token is shown. It allows what \(id) does\(until); that one ends at "
                    + "\(token.replacedEnds).")
        }
        return 0
    }

    private static func tokenID(_ options: Options) throws(UsageError) -> TokenID {
        guard let id = TokenID(options.positional[0]) else {
            throw UsageError(
                "An id is 16 hexadecimal digits, as ‘token list’ has them. Never write a secret on a command line.")
        }
        return id
    }
}

extension IssuedToken {
    fileprivate func row(at now: Timestamp) -> String {
        [
            id.description.padded(to: 16), (grant.app ?? "all").padded(to: 12), grant.role.rawValue.padded(to: 5),
            "\(grant.spaces.count)".padded(to: 6), created.day, (expires?.day ?? "never").padded(to: 10),
            (lastUsed?.day ?? "never").padded(to: 10), state(at: now).rawValue.padded(to: 7), grant.subject.text,
        ].joined(separator: "  ")
    }

    fileprivate func write(to writer: inout JSONWriter, at now: Timestamp) {
        writer.beginObject()
        writer.member("id", id.description)
        writer.member("state", state(at: now).rawValue)
        writer.member("app", grant.app)
        writer.member("subject", grant.subject.text)
        writer.member("role", grant.role.rawValue)
        writer.member("spaces", grant.spaces.map(\.description))
        writer.member("created", created.description)
        writer.member("expires", expires?.description)
        writer.member("lastUsed", lastUsed?.description)
        writer.member("revoked", revoked?.description)
        writer.member("replaces", replaces?.description)
        writer.endObject()
    }
}
