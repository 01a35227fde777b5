import Foundation
import SourceFacts
import SyncTestSupport
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// Sources of apps that lie beside the tests, as `syncserver-sources` reads them.
enum Corpus {
    static let root = Repository.root + "/Tests/SchemaImportTests/Corpus"

    /// `nil` where nobody has built it: ‘swift build --package-path SourceReader’.
    static let program = ["debug", "release"]
        .map { "\(Repository.root)/SourceReader/.build/\($0)/syncserver-sources" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isReadable: Bool { program != nil }

    static func facts(_ folder: String) throws -> SourceFacts {
        try SourcesProgram(stated: program).facts(of: [folder.hasPrefix("/") ? folder : "\(root)/\(folder)"])
    }

    static func imported(_ folders: [String], namespace: String, renamings: [String] = []) throws -> ImportResult {
        var importer = SchemaImporter(app: namespace.lowercased(), renamings: renamings.compactMap { Renaming($0) })
        let snapshots = try folders.map { folder in
            let number = folder.split(separator: "/").last.flatMap { Schema.Version($0) }
            return SchemaImporter.Snapshot(label: number.map { "\($0)" }, version: number, facts: try facts(folder))
        }
        return try importer.run(snapshots, namespace: namespace)
    }
}
