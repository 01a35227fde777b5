import Foundation
import SourceFacts
import WireFormats

/// Reads an app's sources in earlier commits, each content of a file only once: a file's declarations depend on no other
/// file, and most files are the same from tag to tag.
struct CommitReader {
    private let repository: GitHistory
    private let program: SourcesProgram
    private let paths: [String]
    private var known: [GitHistory.File: SourceFacts] = [:]
    /// The number of files that were read so far.
    var filesRead: Int { known.count }
    /// The states that have no file at the paths.
    private var empty: [GitHistory.State] = []

    init(_ repository: GitHistory, _ program: SourcesProgram, paths: [String]) {
        (self.repository, self.program, self.paths) = (repository, program, paths)
    }

    /// The declarations of a state; `nil` if it has no file at the paths.
    mutating func facts(of state: GitHistory.State) throws -> SourceFacts? {
        let files = try repository.files(of: state, paths)
        guard !files.isEmpty else {
            empty.append(state)
            return nil
        }
        var all = SourceFacts()
        let new = files.filter { known[$0] == nil }
        if !new.isEmpty { all.problems = try read(new) }
        for facts in files.compactMap({ known[$0] }) {
            all.files += facts.files
            all.types += facts.types
            all.documents += facts.documents
            all.problems += facts.problems
        }
        return all
    }

    /// - Returns: the problems that belong to no file.
    private mutating func read(_ files: [GitHistory.File]) throws -> [SourceFacts.Problem] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "syncserver-\(ID.random())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try repository.extract(files, into: folder)
        let facts = try program.facts(of: [folder.path], relativeTo: folder.path)
        let types = Dictionary(grouping: facts.types) { $0.location.file }
        let documents = Dictionary(grouping: facts.documents) { $0.file }
        let problems = Dictionary(grouping: facts.problems) { $0.location.file }
        let found = Set(facts.files)
        for file in files {
            var own = SourceFacts(files: found.contains(file.name) ? [file.name] : [])
            own.types = types[file.name] ?? []
            own.documents = documents[file.name] ?? []
            own.problems = problems[file.name] ?? []
            known[file] = own
        }
        let names = Set(files.map(\.name))
        return facts.problems.filter { !names.contains($0.location.file) }
    }

    /// A note about the states that had no file at the paths, with the path that the last one had instead; `nil` if
    /// there are none.
    func noteOfEmpty() throws -> String? {
        guard let first = empty.first, let last = empty.last else { return nil }
        let location = paths.joined(separator: ", ")
        let which =
            empty.count == 1
            ? "\(first.name) has" : "\(empty.count) states, \(first.name) to \(last.name), have"
        let elsewhere = try repository.location(of: paths, in: last).map {
            ". \(last.name) has it as ‘\($0)’: name the folder that both are in, to read it there, too"
        }
        return "\(which) no Swift file or Core Data model at \(location): left out\(elsewhere ?? "")"
    }
}
