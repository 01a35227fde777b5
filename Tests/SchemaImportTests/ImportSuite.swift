import Foundation
import SyncTestSupport

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
}
