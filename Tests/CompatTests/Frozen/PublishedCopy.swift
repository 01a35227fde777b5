import Foundation
import PGMigrations
import WireFormats

@testable import SyncCommands

/// A folder of one test with migrations, a lock and fixtures of a small app; it is deleted with the object.
final class PublishedCopy {
    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "published-\(ID.random())").path
        try write("CREATE TABLE notes.note (text text);\n", to: "Migrations/notes/0001-create-notes.sql")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }

    func write(_ text: String, to name: String) throws {
        let url = URL(filePath: path(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }

    /// Returns the published state of the folder, compared with a plan.
    func publication(_ declaration: any SchemaMigrationPlan.Type) throws -> Publication {
        try Publication(
            migrations: path("Migrations"), plans: [Plan(declaration)],
            lines: MigrationLine.readAll(directory: path("Migrations")), fixtures: path(Publication.fixturesPath))
    }

    /// Returns the codes of all faults, including a fault that keeps the lock from being read.
    func codes(_ declaration: any SchemaMigrationPlan.Type) throws -> [FrozenProblem.Code] {
        do {
            return try publication(declaration).problems().map(\.code)
        } catch let problem as FrozenProblem {
            return [problem.code]
        }
    }

    /// Runs Git in the folder, without any settings of the machine.
    func git(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["git", "-C", root, "-c", "user.name=Test", "-c", "user.email=test@example.org"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CommandError("git \(arguments) failed") }
    }

    static let hasGit = ["/usr/bin/git", "/usr/local/bin/git"].contains { FileManager.default.fileExists(atPath: $0) }
}
