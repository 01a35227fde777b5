import Foundation
import PGMigrations
import Postgres
import SyncTestSupport

/// A folder of migrations of one test's own: the published ones, and what the test adds.
struct MigrationFolder {
    let url: URL

    var path: String { url.path }

    /// Lends the folder, and clears it away afterwards.
    ///
    /// - Parameter files: by their paths, such as `fitiq/0013-add-mood.sql`.
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

    /// The lines as they are now.
    func lines() throws -> [MigrationLine] {
        try MigrationLine.readAll(directory: path)
    }

    /// `syncserver migrate …` with this folder.
    ///
    /// - Parameter body: what happens meanwhile, given the process's number.
    func migrate(
        _ words: String..., database: ConnectionString? = nil, while body: (Int32) async throws -> Void = { _ in }
    ) async throws -> CommandRun {
        try await CommandRun(
            ["migrate"] + words, database: database, environment: ["SYNC_MIGRATIONS": path], while: body)
    }
}

extension CommandRun {
    /// Whether no line of its output is too wide.
    var fitsScreen: Bool { output.split(separator: "\n").allSatisfy { $0.count <= 100 } }
}
