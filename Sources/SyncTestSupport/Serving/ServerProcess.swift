import Foundation
package import PGStore

/// The executable itself, `syncserver serve`, on a free port of the loopback interface: something that can be killed.
package actor ServerProcess {
    private let queue = BlockingQueue(label: "server-process")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let process = Process()
    private let errors = Pipe()

    /// What it said instead of listening.
    package struct DidNotListen: Error {
        package let output: String
    }

    package init() {}

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Starts it over a database that is migrated already.
    ///
    /// - Returns: the port.
    package func start(_ database: ConnectionString) throws -> Int {
        process.executableURL = URL(filePath: try ServerProcess.executable())
        process.arguments = ["serve", "--port", "0", "--migrations", Repository.migrationsDirectory]
        process.environment = ["DATABASE_URL": database.textRevealingSecrets, "PATH": "/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        var output = ""
        while true {
            let part = errors.fileHandleForReading.availableData
            if part.isEmpty { throw DidNotListen(output: output) }
            output += String(decoding: part, as: UTF8.self)
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            guard let line = lines.first(where: { $0.hasPrefix("Listening on http://127.0.0.1:") }) else { continue }
            guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
                throw DidNotListen(output: output)
            }
            return port
        }
    }

    /// `kill -9`, and waits until it is gone.
    package func kill9() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Beside the tests' own bundle.
    static func executable() throws -> String {
        let arguments = CommandLine.arguments
        var folders = [Repository.root + "/.build/debug"]
        if let flag = arguments.firstIndex(of: "--test-bundle-path"), flag + 1 < arguments.count {
            folders.insert(URL(filePath: arguments[flag + 1]).deletingLastPathComponent().path, at: 0)
        }
        folders.append(URL(filePath: arguments[0]).deletingLastPathComponent().path)
        guard let found = folders.map({ $0 + "/syncserver" }).first(where: { access($0, X_OK) == 0 }) else {
            throw DidNotListen(output: "There is no executable in \(folders).")
        }
        return found
    }
}
