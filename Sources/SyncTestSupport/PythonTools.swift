import Glibc
import Postgres

/// Runs a program that `script/python-tools` has installed, and waits on a thread of its own.
package actor PythonTools {
    private let queue = BlockingQueue(label: "python-tools")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    static let folder = "\(Repository.root)/.build/python-tools"

    /// Whether all of them are installed.
    package static let areThere = access("\(folder)/requirements.txt", R_OK) == 0

    package init() {}

    /// - Parameters:
    ///   - name: such as `schemathesis`.
    ///   - environment: besides a path and a home.
    /// - Returns: its exit status, -1 where a signal ended it; and what it printed.
    /// - Throws: `FileError`, where it cannot be started.
    package func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let home = try TemporaryDirectory()
        let program = Program(
            path: "\(PythonTools.folder)/bin/\(name)", arguments: arguments, account: .current,
            environment: Program.bare.filter { !$0.hasPrefix("HOME=") } + ["HOME=\(home.path)", "COLUMNS=200"]
                + environment.map { "\($0)=\($1)" })
        return try program.runToItsEnd()
    }
}
