import Foundation
import PGMigrations
import SchemaImport
import SourceFacts
import WireFormats

/// Imports an app's sources: reads their current and earlier states, and generates version files and a plan.
enum SourceImport {
    /// The earlier states of the sources that are imported beside the current files.
    enum History {
        case none
        /// The tags whose names match this pattern, such as `v*`.
        case tags(String)
        /// The commits listed in this text, one to a line, each alone or followed by its version.
        case commits(String)
    }

    /// Generates the texts of a new plan and its versions, and writes no file.
    ///
    /// - Parameter namespace: the namespace of the versions' types, such as `Pantry`.
    /// - Throws: `CommandError` if the sources cannot be read; `ImportFailure` if they contain no model.
    static func run(_ request: ImportRequest, namespace: String) throws -> ImportResult {
        let snapshots = try snapshots(of: request, version: request.version)
        var importer = SchemaImporter(app: request.app, isPublic: request.isPublic, renamings: request.renamings)
        var result = try importer.run(snapshots.states, namespace: namespace)
        try checkRenamings(request.renamings, result)
        result.notes = snapshots.notes + result.notes
        return result
    }

    /// Throws an error if a renaming that the user gave as an option matches nothing in the sources, because its name
    /// is mistyped or it names the wrong model.
    static func checkRenamings(_ renamings: [Renaming], _ result: ImportResult) throws(CommandError) {
        guard let lost = renamings.first(where: { !result.renamingsMet.contains($0) }) else { return }
        guard result.versions.contains(where: \.isNew) else {
            let word = lost.newer == nil ? "--removed" : "--rename"
            throw CommandError(
                "‘\(word) \(lost.text)’ answers nothing: the sources have no version that the plan lacks. Of what it "
                    + "has, write the answer in the version's file; or, before one is published, import all of it once "
                    + "more, with ‘--anew’.")
        }
        let entities = result.versions.flatMap(\.schema.entities)
        let models = Set(entities.map(\.name))
        let members = Set(entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
        let names = lost.entity == nil ? models : members
        let words =
            [(lost.older, names)] + (lost.newer.map { [($0, names)] } ?? [])
            + (lost.entity.map { [($0, models)] } ?? [])
        let near = words.compactMap { word, names in
            names.contains(word) ? nil : NearestWord.of(word, among: names.sorted()).map { "‘\($0)’ for ‘\(word)’" }
        }
        let scope = lost.entity.map { "in ‘\($0)’" } ?? "among its models"
        let advice = near.isEmpty ? "" : " Did you mean \(near.joined(separator: ", "))?"
        guard let newer = lost.newer else {
            throw CommandError(
                "‘--removed \(lost.text)’ answers nothing: no version lost ‘\(lost.older)’ \(scope) and has something "
                    + "new that could be it.\(advice)")
        }
        throw CommandError(
            "‘--rename \(lost.text)’ renames nothing: no version has ‘\(newer)’ \(scope) in place of "
                + "‘\(lost.older)’, which the one before it would have.\(advice)")
    }

    /// Returns a note about Core Data mapping models that were not imported, because their files are not inside the
    /// folder of a model but beside it; `nil` if there are none.
    private static func noteOfMappings(beside path: String, among now: SchemaImporter.Snapshot) -> String? {
        guard path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".xcdatamodeld/") else { return nil }
        let folder = URL(filePath: path).deletingLastPathComponent()
        var names: [String] = []
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let file as URL in (files?.prefix(filesBesideMax)).map(Array.init) ?? []
        where file.pathExtension == "xcmappingmodel" {
            names.append(file.lastPathComponent)
        }
        guard let first = names.min(),
            !now.facts.documents.contains(where: { $0.file.hasSuffix(".xcmappingmodel/xcmapping.xml") })
        else { return nil }
        let count = names.count == 1 ? "‘\(first)’ was" : "\(names.count) mapping models, such as ‘\(first)’, were"
        return "\(count) not read: name the folder ‘\(folder.path)’ to be asked what of them concerns the data"
    }

    /// The largest number of files that are searched beside a model, in case the model is in a very large folder.
    private static let filesBesideMax = 20_000

    /// Returns the declarations in each state of the sources, the oldest state first and the current files last. It
    /// also returns notes about states that were left out.
    ///
    /// - Parameter version: the version number of the current models if the sources do not contain one.
    static func snapshots(
        of request: ImportRequest, version: Schema.Version?
    ) throws -> (states: [SchemaImporter.Snapshot], notes: [String]) {
        let program = try SourcesProgram.findOrBuild(stated: request.program)
        let paths = request.paths
        // In an earlier state, only one of the paths may exist.
        let folder = paths.count > 1 ? FileManager.default.currentDirectoryPath : nil
        let now = SchemaImporter.Snapshot(
            version: version, facts: try program.facts(of: paths, relativeTo: folder), models: ModelPaths(paths))
        var notes = paths.compactMap { noteOfMappings(beside: $0, among: now) }
        if case .none = request.history { return ([now], notes) }
        let repository = try GitHistory(around: paths[0])
        let states: [GitHistory.State] =
            switch request.history {
            case .none: []
            case .tags(let pattern): try repository.tags(pattern)
            case .commits(let list): try GitHistory.states(list: list)
            }
        var snapshots: [SchemaImporter.Snapshot] = []
        var reader = CommitReader(repository, program, paths: paths)
        defer { Terminal.endProgress() }
        for (index, state) in states.enumerated() {
            Terminal.progress("reading \(state.name), \(index + 1) of \(states.count) states")
            guard let facts = try reader.facts(of: state) else { continue }
            snapshots.append(
                .init(label: state.name, version: state.version, facts: facts, models: ModelPaths(paths)))
        }
        notes += try [reader.noteOfEmpty()].compactMap(\.self)
        if case .tags(let pattern) = request.history { notes += try repository.notes(of: pattern) }
        return (snapshots + [now], notes)
    }
}
