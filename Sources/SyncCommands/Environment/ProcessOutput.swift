import Foundation
import Glibc

/// Runs a program and waits for what it prints.
enum ProcessOutput {
    /// - Returns: its exit status, its output, and what it said of errors without the last line's end.
    /// - Throws: `CommandError` where it cannot be started.
    static func of(
        _ program: String, _ arguments: [String]
    ) throws(CommandError) -> (status: Int32, output: Data, errors: String) {
        // A file and not a second pipe, which could be full while the first is read.
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

    /// Runs a program of the `PATH` and waits for it. What it prints goes to standard error, which is for progress.
    ///
    /// A signal that asks this process to end is passed on to it, and waited for: it has a process group of its own, so
    /// a terminal would only end this one.
    ///
    /// - Returns: its exit status; where a signal ended it, `signalled` and the signal's number.
    /// - Throws: `CommandError` where it cannot be started.
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

    /// A child inherits which signals are blocked, and on the threads that tasks run on nearly all are: it could not be
    /// interrupted.
    private static func runUnblocked(_ process: Process) throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    /// As shells have it.
    static let signalled: Int32 = 128
}
