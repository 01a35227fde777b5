package import Foundation

/// A server with a private PostgreSQL in a folder of its own, as `syncserver serve` starts it: with durable commits, as
/// in production.
package struct ServerProcess {
    package let port: Int
    /// A token that may write to all of `spaces`.
    package let token: String
    package let spaces: [UUID]
    /// A connection string for the server's database, over its socket.
    package let database: String
    private let process: Process
    private let folder: String

    /// The number of spaces.
    package static let spacesCount = 42

    package static func start() throws -> ServerProcess {
        let (folder, port) = (try makeFolder(), try freePort())
        let process = try program(
            ["serve", "--port", "\(port)", "--no-rate-limits"], in: folder)
        note("Server process \(process.processIdentifier) in \(folder)")
        let socket = "\(folder)/.syncserver/postgres/socket"
        let server = ServerProcess(
            port: port, token: "", spaces: [],
            database: "host=\(socket) port=5432 user=syncserver_owner dbname=syncserver", process: process,
            folder: folder)
        do {
            try server.waitUntilReady()
            guard FileManager.default.fileExists(atPath: socket) else {
                throw Failure("PostgreSQL's user cannot reach \(folder). Set TMPDIR to a folder that all may enter.")
            }
            let spaces = (0..<spacesCount).map { _ in UUID() }
            let token = try makeToken(for: spaces, in: folder)
            return ServerProcess(
                port: port, token: token, spaces: spaces, database: server.database, process: process, folder: folder)
        } catch {
            server.stop()
            throw error
        }
    }

    /// Stops the server and its PostgreSQL, and deletes the files of both.
    package func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Returns a port on which nobody listens at the moment.
    private static func freePort() throws -> Int {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 ? getsockname(listener, $0, &size) : -1
            }
        }
        guard status == 0 else { throw Failure("There is no free port.") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Creates a folder on a disk, not in memory, because the measured time includes waiting for the disk.
    private static func makeFolder() throws -> String {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
        let folder = "\(parent)/syncbench-\(getpid())"
        // PostgreSQL may run as another user, who needs access to the folder.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        return folder
    }

    private static func program(_ arguments: [String], in folder: String, output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = ownFolder.appendingPathComponent("syncserver")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["SYNC_MIGRATIONS": try migrations()]) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        if let output {
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
        } else {
            guard FileManager.default.createFile(atPath: "\(folder)/log", contents: nil) else {
                throw Failure("\(folder)/log cannot be written.")
            }
            process.standardError = FileHandle(forWritingAtPath: "\(folder)/log")
        }
        try process.run()
        return process
    }

    private static var ownFolder: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    }

    /// Returns the folder of the repository's migrations; beside this package there are only those of script/bench.
    private static func migrations() throws -> String {
        var folder = ownFolder
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let there = folder.appendingPathComponent("Migrations")
            if FileManager.default.fileExists(atPath: there.appendingPathComponent("easitopen").path) {
                return there.path
            }
        }
        throw Failure("The program does not lie in a checkout.")
    }

    private static func makeToken(for spaces: [UUID], in folder: String) throws -> String {
        let output = Pipe()
        let words = ["token", "create", "--app", "fitiq", "--subject", "bench", "--role", "write"]
        let process = try program(
            words + spaces.flatMap { ["--space", $0.uuidString] }, in: folder, output: output)
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("‘syncserver token create’ failed.") }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    private func waitUntilReady() throws {
        let deadline = Date() + 60
        while Date() < deadline, process.isRunning {
            let answer = try? HTTPConnection(port: port).send(Request(get: "/readyz"))
            if answer?.status == 200 { return }
            usleep(50_000)
        }
        let log = (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""
        throw Failure("The server did not start: \(log)")
    }
}
