import Foundation

/// A process that moves a space from one database to another, `syncserver database move`.
final class MoverProcess {
    private let process = Process()
    private let log: String

    /// Starts the process. Its output, an event as JSON in each line, goes to a file.
    init(executable: String, _ words: [String], environment: [String: String], log: String) throws {
        self.log = log
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let output = FileHandle(forWritingAtPath: log)
        else { throw Breach("\(log) cannot be written") }
        process.executableURL = URL(filePath: executable)
        process.arguments = words
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: log)
    }

    var isRunning: Bool { process.isRunning }

    /// True once the source is to stop serving the space.
    var isSwitching: Bool { output.contains("\"switching\"") }

    var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Kills the process (`kill -9`), and waits until it has ended.
    func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Waits for the end of the process, and returns true if it has succeeded.
    func wait() -> Bool {
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }
}
