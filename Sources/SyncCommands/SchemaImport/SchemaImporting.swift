import Foundation
package import SchemaImport
package import WireFormats

/// Reads an app's sources, as they are and as they were, and makes version files and a plan of them.
package enum SchemaImporting {
    /// Which earlier states of the sources count.
    package enum History: Sendable {
        case none
        /// The tags of this pattern, such as `v*`.
        case tags(String)
        /// A text with a commit to a line, and its version behind it.
        case commits(String)
    }

    /// A new plan, as texts: nothing is written.
    ///
    /// - Parameters:
    ///   - paths: Swift files, or folders of them.
    ///   - namespace: of the versions' types, such as `Pantry`.
    ///   - version: the number of models that have none, as they are now.
    ///   - program: the file of `syncserver-sources`, where it is at an unusual place.
    /// - Throws: `CommandError` where the sources cannot be read; `ImportFailure` where they have no model.
    package static func run(
        paths: [String], app: String, namespace: String, history: History = .none, version: Schema.Version? = nil,
        isPublic: Bool = false, renamings: [Renaming] = [], program: String? = nil
    ) throws -> ImportResult {
        let snapshots = try snapshots(of: paths, history, version: version, program: program)
        var importer = SchemaImporter(app: app, isPublic: isPublic, renamings: renamings)
        var result = try importer.run(snapshots.states, namespace: namespace)
        result.notes = snapshots.notes + result.notes
        return result
    }

    static func run(_ request: ImportRequest, namespace: String) throws -> ImportResult {
        try run(
            paths: request.paths, app: request.app, namespace: namespace, history: request.history,
            version: request.version, isPublic: request.isPublic, renamings: request.renamings,
            program: request.program)
    }

    /// The states of the sources, oldest first, the files as they are at the end.
    static func snapshots(
        of paths: [String], _ history: History, version: Schema.Version?, program stated: String?
    ) throws -> (states: [SchemaImporter.Snapshot], notes: [String]) {
        let program = try SourcesProgram(stated: stated)
        // In an earlier state one of the paths may be all that is there.
        let folder = paths.count > 1 ? FileManager.default.currentDirectoryPath : nil
        let now = SchemaImporter.Snapshot(
            version: version, facts: try program.facts(of: paths, relativeTo: folder))
        guard let first = paths.first else { return ([now], []) }
        let states: [GitHistory.State]
        switch history {
        case .none: return ([now], [])
        case .tags(let pattern): states = try GitHistory(around: first).tags(pattern)
        case .commits(let list): states = try GitHistory.states(list: list)
        }
        let repository = try GitHistory(around: first)
        var snapshots: [SchemaImporter.Snapshot] = []
        var notes: [String] = []
        for state in states {
            let folder = FileManager.default.temporaryDirectory.appending(path: "syncserver-\(ID.random())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            guard try repository.extract(state, paths, into: folder) else {
                notes.append("\(state.name) has no Swift file at \(paths.joined(separator: ", ")): left out")
                continue
            }
            let facts = try program.facts(of: [folder.path], relativeTo: folder.path)
            snapshots.append(.init(label: state.name, version: state.version, facts: facts))
        }
        return (snapshots + [now], notes)
    }
}
