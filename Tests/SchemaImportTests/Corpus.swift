import Foundation
import SourceFacts
import SyncTestSupport
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// The sources of apps in the tests' folder, as `syncserver-sources` reads them.
enum Corpus {
    static let root = Repository.root + "/Tests/SchemaImportTests/Corpus"

    /// The reader's program; `nil` if it is not built: ‘swift build --package-path SourceReader’.
    static let program = ["debug", "release"]
        .map { "\(Repository.root)/SourceReader/.build/\($0)/syncserver-sources" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isReadable: Bool { program != nil }

    static func facts(_ folder: String) throws -> SourceFacts {
        try SourcesProgram.findOrBuild(stated: program).facts(of: [folder.hasPrefix("/") ? folder : "\(root)/\(folder)"]
        )
    }

    /// Reads the facts of a file `Models.swift` with this text.
    static func facts(text: String) throws -> SourceFacts {
        let directory = try TemporaryDirectory()
        try Data(text.utf8).write(to: URL(filePath: "\(directory.path)/Models.swift"))
        return try facts(directory.path)
    }

    /// Imports an app's states at its tags, `v1` and so on, and the current state.
    static func imported(states: [String], now: String) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy")
        let older = try states.enumerated().map { index, text in
            SchemaImporter.Snapshot(
                label: "v\(index + 1)", version: Schema.Version(index + 1, 0, 0), facts: try facts(text: text))
        }
        return try importer.run(older + [.init(facts: try facts(text: now))], namespace: "Toy")
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

extension ImportResult {
    /// The shapes in the form `1.0.0 Walk(id steps)`; variants have a question mark.
    var shapes: [String] {
        versions.map { version in
            let models = version.schema.entities.map { "\($0.name)(\($0.members.map(\.name).joined(separator: " ")))" }
            return "\(version.schema.version)\(version.isVariant ? "?" : "") \(models.joined(separator: " "))"
        }
    }

    /// The questions in the form `shape 1.0.0` or `condition Walk 2.0.0`.
    var questionNames: [String] {
        questions.map { question in
            [question.code.rawValue, question.subject, question.version.map { "\($0)" } ?? ""]
                .filter { !$0.isEmpty }.joined(separator: " ")
        }
    }
}
