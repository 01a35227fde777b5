import Foundation

/// The executable itself, `syncserver serve`, on a free port of the loopback interface: something that can be killed.
///
/// What it says goes to a file, because a pipe that nobody reads would stop it once it is full. Blocks while it starts:
/// use it on a `BlockingQueue`.
package final class ServedProcess {
    private let process = Process()
    /// The port that it listens on.
    package private(set) var port = 0

    /// It ended, or said nothing for long, instead of listening.
    package struct DidNotListen: Error, CustomStringConvertible {
        package let output: String
        package var description: String { "The server did not start. It said:\n\(output)" }

        package init(output: String) {
            self.output = output
        }
    }

    /// How often to look whether it listens.
    private static let pollMicroseconds: UInt32 = 2000
    /// A minute: migrations may run first.
    private static let pollsMax = 30_000

    /// Starts it and waits until it listens.
    ///
    /// - Parameters:
    ///   - words: what follows `serve --port 0`.
    ///   - log: the file for what it says, made anew.
    package init(executable: String, _ words: [String], environment: [String: String], log: String) throws {
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let output = FileHandle(forWritingAtPath: log)
        else { throw DidNotListen(output: "\(log) cannot be written.") }
        process.executableURL = URL(filePath: executable)
        // Those who test send as fast as they can.
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

    /// `kill -9`, and waits until it is gone.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// SIGTERM: asks it to stop, and does not wait.
    package func terminate() {
        Foundation.kill(process.processIdentifier, SIGTERM)
    }

    /// Sends a signal, and does not wait.
    package func send(_ signal: Int32) {
        Foundation.kill(process.processIdentifier, signal)
    }

    /// The status that it ended with; `nil` where it runs, or a signal ended it.
    package var endStatus: Int32? {
        guard !process.isRunning, process.terminationReason == .exit else { return nil }
        return process.terminationStatus
    }

    package var isRunning: Bool { process.isRunning }
}
