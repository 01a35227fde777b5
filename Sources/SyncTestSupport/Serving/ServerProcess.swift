import Foundation
package import PlantedBugs
package import Postgres
import SyncSimulator
import WireFormats

/// The executable itself, `syncserver serve`, on a free port of the loopback interface: something that can be killed.
package actor ServerProcess {
    private let queue = BlockingQueue(label: "server-process")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private var process: ServedProcess?
    private let log = FileManager.default.temporaryDirectory.appending(path: "syncserver-\(UUID()).log").path

    package init() {}

    /// Starts it over a database that is migrated already.
    ///
    /// - Parameters:
    ///   - migrations: the folder of its migrations.
    ///   - words: what else its command line says.
    ///   - variables: what else is in its environment.
    ///   - bug: a mistake that it makes.
    /// - Returns: the port.
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

    /// The lines that it has said so far.
    package var lines: [String] {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Sends a signal, and does not wait.
    package func send(_ signal: Int32) {
        process?.send(signal)
    }

    /// The status that it ended with; `nil` where it runs, or a signal ended it.
    package var endStatus: Int32? { process?.endStatus }

    /// `kill -9`, and waits until it is gone.
    package func kill9() {
        process?.kill()
    }

    /// SIGTERM, and does not wait.
    package func terminate() {
        process?.terminate()
    }

    package var isRunning: Bool { process?.isRunning ?? false }

    /// Beside the tests' own bundle.
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
