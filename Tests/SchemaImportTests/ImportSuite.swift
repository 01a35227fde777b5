import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncCommands

/// Tests that import from files, and into files, of a folder of their own.
protocol ImportSuite {
    var directory: TemporaryDirectory { get }
}

extension ImportSuite {
    var folder: String { directory.path }

    /// Writes a file of the folder, and makes the folders that it is in.
    func write(_ text: String, _ name: String) throws {
        let url = URL(filePath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Reads a file of the folder; empty where it is not there.
    func text(_ name: String) -> String {
        (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
    }

    /// Runs Git in the folder.
    func git(_ words: String...) throws {
        let name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]
        let (status, _, errors) = try ProcessOutput.of("/usr/bin/env", ["git", "-C", folder] + name + words)
        try #require(status == 0, "\(errors)")
    }

    /// A file with a model ‘Trip’ that has these properties.
    func model(_ properties: String...) -> String {
        (["import Foundation", "import SwiftData", "", "@Model final class Trip {", "    var id: UUID"]
            + properties.map { "    \($0)" } + ["    init() {}", "}"]).joined(separator: "\n") + "\n"
    }

    /// Runs `syncserver schema` with these words, and returns its exit status.
    func run(_ words: [String], apps: [any SchemaMigrationPlan.Type] = []) async -> Int32 {
        let program = ["--sources-program", Corpus.program ?? ""]
        return await SyncServerProgram.main(["syncserver", "schema"] + words + program, apps: apps)
    }
}
