package import Foundation
package import Postgres

/// A completed run of `syncserver`, with its output and its exit status.
package struct CommandRun: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String
    /// True if a signal ended the program.
    package let wasKilled: Bool

    /// The environment variables with which `syncserver` is run: `PATH`, the folder of migrations, and the folder of
    /// the PostgreSQL programs that the tests use.
    package static let surroundings = {
        var environment = ["PATH": "/usr/bin:/bin", "SYNC_MIGRATIONS": Repository.migrationsDirectory]
        environment["POSTGRES_PROGRAMS"] = ProcessInfo.processInfo.environment["POSTGRES_PROGRAMS"]
        return environment
    }()

    /// Runs `syncserver` to its end.
    ///
    /// - Parameters:
    ///   - words: the command-line arguments.
    ///   - database: the value of the variable `DATABASE_URL`; `nil` for a command that needs no database.
    ///   - environment: environment variables in addition to `surroundings`, or in their place.
    ///   - folder: the working directory; by default, that of the tests.
    ///   - executable: the path of another program to run instead of `syncserver`.
    ///   - body: called while the program runs, with its process id.
    package init(
        _ words: [String], database: ConnectionString? = nil, environment: [String: String] = [:],
        workingDirectory folder: String? = nil, executable: String? = nil,
        while body: (Int32) async throws -> Void = { _ in }
    ) async throws {
        let process = Process()
        process.executableURL = URL(filePath: try executable ?? ServerProcess.executable())
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        process.arguments = words
        process.environment = CommandRun.surroundings.merging(environment) { $1 }
        if let database { process.environment?["DATABASE_URL"] = database.textRevealingSecrets }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (try TakenOutput(), try TakenOutput())
        process.standardOutput = output.handle
        process.standardError = errors.handle
        let ended = Gate()
        process.terminationHandler = { _ in ended.open() }
        try process.run()
        do {
            try await body(process.processIdentifier)
        } catch {
            process.terminate()
            throw error
        }
        await ended.wait()
        status = process.terminationStatus
        wasKilled = process.terminationReason == .uncaughtSignal
        self.output = try output.text
        self.errors = try errors.text
    }
}

/// The output of a program that a test runs, in a file without a name. A pipe holds only 64 KiB, so the program would
/// wait for a reader.
package struct TakenOutput {
    /// The handle that the program writes to.
    package let handle: FileHandle

    package init() throws {
        var path = Array("\(FileManager.default.temporaryDirectory.path)/syncserver-output-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0, unlink(path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    /// The text that the program has written so far.
    package var text: String {
        get throws {
            try handle.seek(toOffset: 0)
            return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
        }
    }
}
