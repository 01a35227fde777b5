import Foundation
import PGMigrations
import Postgres
import SyncTestSupport

/// A folder of migrations for one test: the published ones, and those that the test adds.
struct MigrationFolder {
    let url: URL

    var path: String { url.path }

    /// Lends the folder, and deletes it afterwards.
    ///
    /// - Parameter files: the texts by path, such as `fitiq/0013-add-mood.sql`.
    static func with<Value>(
        _ files: [String: String] = [:], _ body: (MigrationFolder) async throws -> Value
    ) async throws -> Value {
        let folder = MigrationFolder(
            url: FileManager.default.temporaryDirectory.appending(path: "migrations-\(UUID())"))
        defer { try? FileManager.default.removeItem(at: folder.url) }
        try FileManager.default.copyItem(at: URL(filePath: Repository.migrationsDirectory), to: folder.url)
        for (path, text) in files { try folder.write(text, to: path) }
        return try await body(folder)
    }

    func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: url.appending(path: path))
    }

    func read(_ path: String) throws -> String {
        try String(contentsOf: url.appending(path: path), encoding: .utf8)
    }

    /// Returns the lines in their current state.
    func lines() throws -> [MigrationLine] {
        try MigrationLine.readAll(directory: path)
    }

    /// Runs `syncserver migrate …` with this folder.
    ///
    /// - Parameter body: runs meanwhile, and receives the process ID.
    func migrate(
        _ words: String..., database: ConnectionString? = nil, while body: (Int32) async throws -> Void = { _ in }
    ) async throws -> CommandRun {
        try await CommandRun(
            ["migrate"] + words, database: database, environment: ["SYNC_MIGRATIONS": path], while: body)
    }
}

extension CommandRun {
    /// True if all lines of the output fit the screen.
    var fitsScreen: Bool { output.split(separator: "\n").allSatisfy { $0.count <= 100 } }
}
