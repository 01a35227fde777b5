import Foundation
import Glibc
import Operations
import Postgres
import SyncEngine
import SyncServer
import WireFormats

/// The space and the token with which a user tries out the server. They are stored in `.syncserver/demo.env`, and the
/// next start uses them again.
enum Demo {
    private static let folder = ".syncserver"
    static let file = ".syncserver/demo.env"

    /// Makes a space and a token with which a user tries out the server, stores them, and prints an example of a
    /// request.
    ///
    /// - Parameter plan: the plan of the app that the example uses. If `nil`, the example has `APP` and `VERSION` as
    ///   placeholders.
    static func prepare(_ database: ConnectionString, port: Int, hint plan: Plan?, log: Log) async throws {
        let space = kept("SYNC_SPACE").flatMap { ID($0) } ?? .random()
        let grant = Grant(app: nil, subject: "demo", role: .write, spaces: [space])
        let secret = try await OwnerDatabase(database).withSession { session in
            // Tokens that devices and shells were given stay valid from one start to the next.
            if let kept = kept("SYNC_TOKEN").map({ Secret(presented: $0) }),
                let found = try await TokenStore.find([kept.hash], session)[kept.hash]?.grant,
                (found.app, found.subject) == (grant.app, grant.subject), found.spaces == grant.spaces,
                found.role == grant.role
            {
                return kept
            }
            let new = Secret()
            try await add(new, grant, session)
            return new
        }
        let (app, version) = (plan?.app ?? "APP", plan.map { "\($0.schemas[$0.newest].version)" } ?? "VERSION")
        let url = "http://127.0.0.1:\(port)"
        try write("SYNC_URL=\(url)\nSYNC_SPACE=\(space)\nSYNC_TOKEN=\(secret.text)\n")
        guard log.form == .text else { return log.info("a demo space and a token are in \(file)") }
        Terminal.note(
            """
            A demo space and token are in \(file). Try:

              . \(file)
              curl -s -H "Authorization: Bearer $SYNC_TOKEN" -H "Schema-Version: \(version)" \\
                "$SYNC_URL/v1/apps/\(app)/spaces/$SYNC_SPACE/changes"

            """)
    }

    /// Returns a value that an earlier start of the server stored in `.syncserver/demo.env`; `nil` if there is none.
    /// The value is used again, so that records in the demo space stay readable, and shells that have loaded the file
    /// keep working.
    ///
    /// - Parameter name: the name of the value's variable in the file.
    private static func kept(_ name: String) -> String? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name)=") }
        return line.map { String($0.dropFirst(name.count + 1)) }
    }

    private static func add(_ secret: Secret, _ grant: Grant, _ session: isolated Session) throws {
        // Only the newest demo token is valid: its secret lies in a file.
        try session.execute(Command("UPDATE sync.token SET revoked_at = now() WHERE subject = 'demo' AND app IS NULL"))
        try TokenStore.add(secret, grant, session)
    }

    /// Writes `.syncserver/demo.env` so that only its owner can read it. The permissions are set when the file is
    /// created, before it has content.
    private static func write(_ text: String) throws {
        mkdir(folder, 0o700)
        unlink(file)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandError("\(file) cannot be written: \(String(cString: strerror(errno))).")
        }
        defer { Glibc.close(descriptor) }
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw CommandError("\(file) cannot be written: \(String(cString: strerror(errno))).")
        }
    }
}
