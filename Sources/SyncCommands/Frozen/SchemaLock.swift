import PGStore
import Postgres
package import WireFormats

/// The lock file, `schemas.lock` in the folder of migrations. It contains every version and every SQL file that was
/// ever published, in the order of their publication.
///
/// ```
/// migration fitiq/0001-create-diary.sql <SHA-256 of the file> <link>
/// version fitiq 0.0.1 aec673067bba5d13 <SHA-256 of the fixtures> <link>
/// ```
/// Lines are only ever added at the end. A link is the SHA-256 of the link before it and its own line. So no single
/// line can be edited, removed or moved without an error, and two branches that both publish conflict in Git.
package struct SchemaLock: Sendable {
    package private(set) var entries: [Entry] = []
    private var link = ""
    private var lines: [String] = []

    /// A published version or migration. Each line of the lock file contains one.
    package enum Entry: Hashable, Sendable {
        case version(app: String, Schema.Version, fingerprint: String, fixtures: String)
        case migration(path: String, checksum: String)
    }

    package static let fileName = "schemas.lock"

    private static let head = """
        # What is published, and must never change. Written by ‘syncserver schema freeze’ alone: each line ends with
        # the SHA-256 of the end of the line before it and its own text.

        """

    package init() {}

    /// - Throws: `FrozenProblem` for the first line that is malformed or has a wrong link (the hash of the link before
    ///   it and the line).
    package init(parsing text: String) throws(FrozenProblem) {
        let lines = LineEnds.plain(text).split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard let stated = words.last, let entry = Entry(words.dropLast()) else {
                throw .malformedLine(number + 1)
            }
            append(entry)
            guard stated == link else { throw .brokenChain(line: number + 1) }
        }
    }

    package mutating func append(_ entry: Entry) {
        let text = entry.words.joined(separator: " ")
        link = Checksum.sha256(of: Array("\(link) \(text)".utf8))
        entries.append(entry)
        lines.append("\(text) \(link)")
    }

    package var text: String {
        SchemaLock.head + lines.map { $0 + "\n" }.joined()
    }

    /// Returns true if the entry at `position` is the first that publishes a version of its app with its version
    /// number. Also returns true if the entry publishes a migration.
    func isFirst(_ position: Int) -> Bool {
        guard case .version(let app, let version, _, _) = entries[position] else { return true }
        return !entries[..<position].contains { entry in
            guard case .version(app, version, _, _) = entry else { return false }
            return true
        }
    }

    /// Compares this lock file with an earlier one. Returns the index of the first entry of `earlier` that is missing
    /// or different here; `nil` if this lock file only adds entries.
    package func firstDeparture(from earlier: SchemaLock) -> Int? {
        earlier.entries.indices.first { !entries.indices.contains($0) || entries[$0] != earlier.entries[$0] }
    }
}

extension SchemaLock.Entry {
    fileprivate init?(_ words: ArraySlice<String>) {
        let words = Array(words)
        switch (words.first, words.count) {
        case ("version", 5):
            guard let version = Schema.Version(words[2]) else { return nil }
            self = .version(app: words[1], version, fingerprint: words[3], fixtures: words[4])
        case ("migration", 3): self = .migration(path: words[1], checksum: words[2])
        default: return nil
        }
    }

    fileprivate var words: [String] {
        switch self {
        case .version(let app, let version, let fingerprint, let fixtures):
            ["version", app, "\(version)", fingerprint, fixtures]
        case .migration(let path, let checksum): ["migration", path, checksum]
        }
    }

    /// The published version or migration, as messages name it: the app with its version, or the migration's path.
    var subject: String {
        switch self {
        case .version(let app, let version, let fingerprint, _): "\(app) \(version) (\(fingerprint))"
        case .migration(let path, _): path
        }
    }
}
