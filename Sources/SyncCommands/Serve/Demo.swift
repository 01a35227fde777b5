import Foundation
import Glibc
import PGStore
import SyncServer
import WireFormats

/// A space and a token to try things with, kept in `.syncserver/demo.env` from one start to the next.
enum Demo {
    private static let folder = ".syncserver"
    private static let file = ".syncserver/demo.env"

    static func prepare(_ database: ConnectionString, port: Int) async throws {
        let space = keptSpace ?? .random()
        let secret = Secret()
        try await Environment.asOwner(database) { session in
            try await add(secret, Grant(app: nil, subject: "demo", role: .write, spaces: [space]), session)
        }
        let url = "http://127.0.0.1:\(port)"
        try write("SYNC_URL=\(url)\nSYNC_SPACE=\(space)\nSYNC_TOKEN=\(secret.text)\n")
        Terminal.note(
            """
            A demo space and token are in \(file). Try:

              . \(file)
              curl -s -H "Authorization: Bearer $SYNC_TOKEN" -H "Schema-Version: 0.1.1" \\
                "$SYNC_URL/v1/apps/fitiq/spaces/$SYNC_SPACE/changes"

            """)
    }

    /// The space of the last start, so that what was tried is still there.
    private static var keptSpace: ID? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("SYNC_SPACE=") }
        return line.flatMap { ID(String($0.dropFirst("SYNC_SPACE=".count))) }
    }

    private static func add(_ secret: Secret, _ grant: Grant, _ session: isolated Session) throws {
        // Only the newest demo token is good: its secret lies in a file.
        try session.execute(Command("UPDATE sync.token SET revoked_at = now() WHERE subject = 'demo' AND app IS NULL"))
        try TokenStore.add(secret, grant, session)
    }

    /// Readable by its owner only, from the first byte on.
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
