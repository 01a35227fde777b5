import Glibc
import Postgres

/// A runner of the programs that `script/python-tools` has installed. It waits for them on a thread of its own.
package actor PythonTools {
    private let queue = BlockingQueue(label: "python-tools")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    static let folder = "\(Repository.root)/.build/python-tools"

    /// True if `script/python-tools` has installed all its programs.
    package static let areThere = access("\(folder)/requirements.txt", R_OK) == 0

    package init() {}

    /// Runs one of the programs, and waits for its end.
    ///
    /// - Parameters:
    ///   - name: the name of the program, such as `schemathesis`.
    ///   - environment: environment variables in addition to `PATH`, `HOME` and a few others.
    /// - Returns: the program's exit status (-1 if a signal ended it), and its output.
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
