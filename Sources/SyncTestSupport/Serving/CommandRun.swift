import Foundation
package import Postgres

/// One run of the executable to its end: what it said, and its status.
package struct CommandRun: Sendable {
    package let status: Int32
    package let output: String
    package let errors: String
    /// Whether a signal ended it.
    package let wasKilled: Bool

    /// What each run has in its environment: where the migrations are, and which PostgreSQL the tests use.
    package static let surroundings = {
        var environment = ["PATH": "/usr/bin:/bin", "SYNC_MIGRATIONS": Repository.migrationsDirectory]
        environment["POSTGRES_PROGRAMS"] = ProcessInfo.processInfo.environment["POSTGRES_PROGRAMS"]
        return environment
    }()

    /// - Parameters:
    ///   - database: what `DATABASE_URL` names; a command that needs none is given none.
    ///   - environment: beside `PATH` and where the migrations are.
    ///   - folder: where it runs; that of the tests where it is not given.
    ///   - executable: another program than ours.
    ///   - body: what happens meanwhile, given the process's number.
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
        let pipes = (output: Pipe(), errors: Pipe())
        process.standardOutput = pipes.output
        process.standardError = pipes.errors
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
        // What a command says fits in a pipe, so it has ended without a reader.
        output = String(decoding: pipes.output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        errors = String(decoding: pipes.errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
}
