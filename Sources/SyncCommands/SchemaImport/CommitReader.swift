import Foundation
import SourceFacts
import WireFormats

/// Reads the declarations of an app's sources in earlier commits. Files with the same content are parsed only once,
/// because most files do not change from one tag to the next, and the declarations in a file do not depend on other
/// files.
struct CommitReader {
    private let repository: GitHistory
    private let program: SourcesProgram
    private let paths: [String]
    private var known: [GitHistory.File: SourceFacts] = [:]
    /// The number of different files parsed so far.
    var filesRead: Int { known.count }
    /// The states (commits or tags) that have no file at the app's paths.
    private var empty: [GitHistory.State] = []

    init(_ repository: GitHistory, _ program: SourcesProgram, paths: [String]) {
        (self.repository, self.program, self.paths) = (repository, program, paths)
    }

    /// Returns the declarations in the sources of a commit or tag; `nil` if it has no file at the app's paths.
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

    /// Parses those of the files that are not parsed yet, and stores their declarations in `known`.
    ///
    /// - Returns: the problems that concern no single file.
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

    /// Returns a note about the commits and tags that have no file at the app's paths; `nil` if there are none. If the
    /// last of these commits has a file or folder of the same name elsewhere, the note suggests its path.
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
