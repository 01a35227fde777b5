import Foundation
package import PlantedBugs
package import Postgres
import SyncSimulator
import WireFormats

/// A server process, `syncserver serve`, on a free port of the loopback interface. A test can kill it.
package actor ServerProcess {
    private let queue = BlockingQueue(label: "server-process")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private var process: ServedProcess?
    private let log = FileManager.default.temporaryDirectory.appending(path: "syncserver-\(UUID()).log").path

    package init() {}

    /// Starts the server process, and waits until it listens.
    ///
    /// - Parameters:
    ///   - database: the connection string of a database to which all migrations were applied.
    ///   - migrations: the folder of migration files.
    ///   - words: additional command-line arguments.
    ///   - variables: additional environment variables.
    ///   - bug: a deliberate bug to switch on in the server, for tests of the tests; `nil` for none.
    /// - Returns: the port on which the server listens.
    package func start(
        _ database: ConnectionString, migrations: String = Repository.migrationsDirectory, _ words: [String] = [],
        variables: [String: String] = [:], planting bug: PlantedBug? = nil
    ) throws -> Int {
        var environment = variables
        environment["DATABASE_URL"] = database.textRevealingSecrets
        environment["SYNCSERVER_PLANT"] = bug?.rawValue
        let process = try ServedProcess(
            executable: ServerProcess.executable(), ["--migrations", migrations] + words, environment: environment,
            log: log)
        self.process = process
        return process.port
    }

    deinit { try? FileManager.default.removeItem(atPath: log) }

    /// The lines that the process has printed so far.
    package var lines: [String] {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Sends a signal to the process, and does not wait for the effect.
    package func send(_ signal: Int32) {
        process?.send(signal)
    }

    /// The process's exit status; `nil` while it runs, and if a signal ended it.
    package var endStatus: Int32? { process?.endStatus }

    /// Kills the process (`kill -9`), and waits until it has ended.
    package func kill9() {
        process?.kill()
    }

    /// Sends SIGTERM to the process, and does not wait for its end.
    package func terminate() {
        process?.terminate()
    }

    package var isRunning: Bool { process?.isRunning ?? false }

    /// Returns the path of an executable that was built with the tests.
    ///
    /// - Throws: `DidNotListen` if there is none.
    package static func executable(_ name: String = "syncserver") throws -> String {
        let arguments = CommandLine.arguments
        var folders = [Repository.root + "/.build/debug"]
        if let flag = arguments.firstIndex(of: "--test-bundle-path"), flag + 1 < arguments.count {
            folders.insert(URL(filePath: arguments[flag + 1]).deletingLastPathComponent().path, at: 0)
        }
        folders.append(URL(filePath: arguments[0]).deletingLastPathComponent().path)
        let paths: [String] = folders.map { "\($0)/\(name)" }
        guard let found = paths.first(where: { access($0, X_OK) == 0 }) else {
            throw ServedProcess.DidNotListen(output: "There is no executable in \(folders).")
        }
        return found
    }
}
