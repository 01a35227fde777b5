import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncCommands

/// A suite of tests that import from files, and write files, in a folder of their own.
protocol ImportSuite {
    var directory: TemporaryDirectory { get }
}

extension ImportSuite {
    var folder: String { directory.path }

    /// Writes a file in the folder, and creates the folders of its path.
    func write(_ text: String, _ name: String) throws {
        let url = URL(filePath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Reads a file of the folder; empty if it does not exist.
    func text(_ name: String) -> String {
        (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
    }

    /// Runs Git in the folder.
    func git(_ words: String...) throws {
        let name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]
        let (status, _, errors) = try ProcessOutput.of("/usr/bin/env", ["git", "-C", folder] + name + words)
        try #require(status == 0, "\(errors)")
    }

    /// Returns a file with a model ‘Trip’ that has these properties.
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
