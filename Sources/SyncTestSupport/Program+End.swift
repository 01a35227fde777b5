import Glibc
package import Postgres

extension Program {
    /// Runs the program, and blocks the calling thread until it ends.
    ///
    /// - Returns: the program's exit status (-1 if a signal ended it), and its output.
    /// - Throws: `FileError` if the program cannot be started.
    package func runToItsEnd() throws -> (status: Int32, output: String) {
        let folder = try TemporaryDirectory()
        let log = "\(folder.path)/output"
        let child = try start(log: log)
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        let ending = status & 0x7F == 0 ? status >> 8 & 0xFF : -1
        return (ending, String(decoding: try Files.contents(of: log), as: UTF8.self))
    }
}
