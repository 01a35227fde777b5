import Glibc
package import Postgres

extension Program {
    /// Runs it and waits for its end, on this thread.
    ///
    /// - Returns: its exit status, -1 where a signal ended it; and what it printed.
    /// - Throws: `FileError`, where it cannot be started.
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
