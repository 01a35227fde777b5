import Foundation
import Glibc

/// Runs a program and collects its output.
enum ProcessOutput {
    /// Runs a program, and waits for its end.
    ///
    /// - Returns: the exit status, the standard output, and the standard error without its last line feed.
    /// - Throws: `CommandError` if the program cannot be started.
    static func of(
        _ program: String, _ arguments: [String]
    ) throws(CommandError) -> (status: Int32, output: Data, errors: String) {
        // A file and not a second pipe, which could fill up while the first is read.
        let errors = FileManager.default.temporaryDirectory.appending(path: "syncserver-\(UUID().uuidString).errors")
        defer { try? FileManager.default.removeItem(at: errors) }
        do {
            try Data().write(to: errors)
            let handle = try FileHandle(forWritingTo: errors)
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            let output = Pipe()
            process.standardOutput = output
            process.standardError = handle
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            try handle.close()
            let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
            return (process.terminationStatus, data, text.trimmingCharacters(in: .whitespacesAndNewlines))
        } catch {
            throw CommandError("\(program) cannot be run: \(error.localizedDescription)")
        }
    }

    /// Runs a program found in the `PATH` and waits for its end. Its output goes to standard error, where commands
    /// report progress.
    ///
    /// A signal that asks this process to end is forwarded to the program, and this process waits for the program. That
    /// is necessary because the program has its own process group, so a terminal sends its signals to this process
    /// only.
    ///
    /// - Returns: the exit status; if a signal ended the program, `signalled` plus the signal's number.
    /// - Throws: `CommandError` if the program cannot be started.
    static func show(_ program: String, _ arguments: [String], in folder: String? = nil) throws(CommandError) -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.standardError
        let passing = PassedSignals()
        defer { passing.stop() }
        do {
            try runUnblocked(process)
            passing.start(to: process.processIdentifier)
        } catch {
            throw CommandError(
                "‘\(([program] + arguments).joined(separator: " "))’ cannot be run: \(error.localizedDescription)")
        }
        process.waitUntilExit()
        if let signal = passing.last { return signalled + signal }
        return process.terminationReason == .uncaughtSignal
            ? signalled + process.terminationStatus : process.terminationStatus
    }

    /// Starts a process in which no signal is blocked. A child inherits the blocked signals of the thread that starts
    /// it, and threads that run tasks block nearly all. The child could otherwise not be interrupted.
    private static func runUnblocked(_ process: Process) throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    /// The number that shells add to a signal's number to make an exit status.
    static let signalled: Int32 = 128
}
