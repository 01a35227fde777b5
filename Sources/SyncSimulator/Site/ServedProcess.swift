import Foundation

/// A server process, `syncserver serve`, on a free port of the loopback interface. A test can kill it.
///
/// Its output goes to a file, because the process would block on a full pipe that nobody reads. Use this on a
/// `BlockingQueue`, because the initializer blocks its thread until the server has started.
package final class ServedProcess {
    private let process = Process()
    /// The port on which the server listens.
    package private(set) var port = 0

    /// The error of a start: the process ended before it listened, or did not listen within a minute.
    package struct DidNotListen: Error, CustomStringConvertible {
        package let output: String
        package var description: String { "The server did not start. It said:\n\(output)" }

        package init(output: String) {
            self.output = output
        }
    }

    /// The time between two attempts to read the port from the server's output, in microseconds.
    private static let pollMicroseconds: UInt32 = 2000
    /// The maximum number of times that the output is read to find the port. They take one minute, because the server
    /// may have to run migrations first.
    private static let pollsMax = 30_000

    /// Starts the process, and waits until it listens.
    ///
    /// - Parameters:
    ///   - executable: the path of the program.
    ///   - words: the arguments that follow `serve --port 0 --no-rate-limits`.
    ///   - log: the path of the file for the output. An existing file is replaced.
    package init(executable: String, _ words: [String], environment: [String: String], log: String) throws {
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let output = FileHandle(forWritingAtPath: log)
        else { throw DidNotListen(output: "\(log) cannot be written.") }
        process.executableURL = URL(filePath: executable)
        // Tests send requests as fast as they can.
        process.arguments = ["serve", "--port", "0", "--no-rate-limits"] + words
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { stated, _ in stated }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output
        try process.run()
        for _ in 0..<ServedProcess.pollsMax {
            if let found = ServedProcess.port(in: log) {
                port = found
                return
            }
            if !process.isRunning { break }
            usleep(ServedProcess.pollMicroseconds)
        }
        throw DidNotListen(output: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    private static func port(in log: String) -> Int? {
        guard let text = try? String(contentsOfFile: log, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        for line in lines {
            if let found = line.firstMatch(of: /Listening on http:\/\/127\.0\.0\.1:([0-9]+)/) { return Int(found.1) }
        }
        return nil
    }

    /// Kills the process (`kill -9`), and waits until it has ended.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Sends SIGTERM to the process, and does not wait for its end.
    package func terminate() {
        Foundation.kill(process.processIdentifier, SIGTERM)
    }

    /// Sends a signal to the process, and does not wait for the effect.
    package func send(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }

    /// The process's exit status; `nil` while it runs, and if a signal ended it.
    package var endStatus: Int32? {
        guard !process.isRunning, process.terminationReason == .exit else { return nil }
        return process.terminationStatus
    }

    package var isRunning: Bool { process.isRunning }
}
