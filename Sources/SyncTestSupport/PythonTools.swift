import Glibc
import Postgres

/// Runs programs that `script/python-tools` has installed, and waits for them on a thread of its own.
package actor PythonTools {
    private let queue = BlockingQueue(label: "python-tools")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    static let folder = "\(Repository.root)/.build/python-tools"

    /// True if all of them are installed.
    package static let areThere = access("\(folder)/requirements.txt", R_OK) == 0

    package init() {}

    /// Runs one of the programs.
    ///
    /// - Parameters:
    ///   - name: the program, such as `schemathesis`.
    ///   - environment: variables in addition to a path and a home.
    /// - Returns: the exit status, -1 if a signal ended the program; and the program's output.
    /// - Throws: `FileError` if the program cannot be started.
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
