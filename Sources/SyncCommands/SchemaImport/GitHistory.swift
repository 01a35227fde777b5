import Foundation
import WireFormats

/// The states of an app's sources in the history of a Git repository. The repository is only read, never written to.
struct GitHistory {
    /// A commit or tag, with the version of the app that it contains; the version is `nil` if it is not known.
    struct State {
        let name: String
        let version: Schema.Version?
    }

    /// The path of the repository's top folder.
    let root: String

    /// Finds the repository that contains `path`.
    ///
    /// - Throws: `CommandError` if there is none.
    init(around path: String) throws(CommandError) {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard exists else { throw CommandError("There is nothing at ‘\(path)’.") }
        let folder = isFolder.boolValue ? path : URL(filePath: path).deletingLastPathComponent().path
        let (status, output, errors) = try ProcessOutput.of(
            "/usr/bin/env", ["git", "-C", folder, "rev-parse", "--show-toplevel"])
        guard status == 0 else { throw CommandError("‘\(path)’ is in no Git repository that can be read: \(errors)") }
        root = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    private func output(_ arguments: [String]) throws(CommandError) -> String {
        let (status, output, errors) = try ProcessOutput.of("/usr/bin/env", ["git", "-C", root] + arguments)
        guard status == 0 else { throw CommandError("git \(arguments.joined(separator: " ")): \(errors)") }
        return String(decoding: output, as: UTF8.self)
    }

    /// Returns the tags that match the pattern. They are ordered by version if all of them contain one, and by date
    /// otherwise.
    func tags(_ pattern: String) throws(CommandError) -> [State] {
        let names = try commitTags(pattern).commits
        let states = names.map { State(name: $0, version: GitHistory.version(in: $0)) }
        guard !states.isEmpty else { throw CommandError(try noTag(pattern)) }
        try checkFiles(pattern)
        guard states.allSatisfy({ $0.version != nil }) else { return states }
        let sorted = states.enumerated().sorted { a, b in
            guard let first = a.element.version, let second = b.element.version, first != second else {
                // Among tags of one version number, trial releases come before the release.
                let tried = (GitHistory.isTrial(a.element.name), GitHistory.isTrial(b.element.name))
                return tried.0 == tried.1 ? a.offset < b.offset : tried.0
            }
            return first < second
        }.map(\.element)
        try checkOrder(of: sorted, pattern)
        return sorted
    }

    /// Throws an error if a matching tag is newer than the checked-out commit. The import assumes that the files of the
    /// working copy are the newest state, which would then be wrong.
    private func checkFiles(_ pattern: String) throws(CommandError) {
        let here = try output(["tag", "--points-at", "HEAD"]).split(separator: "\n")
        let later = try output(["tag", "--contains", "HEAD", "--list", pattern, "--sort=creatordate"])
            .split(separator: "\n").filter { !here.contains($0) }
        guard let newest = later.last else { return }
        throw CommandError(
            "The files of \(root) are those of a commit that the tag ‘\(newest)’ is built on, and count as the newest "
                + "state: check out ‘\(newest)’ or what is newer, and import then.")
    }

    /// Returns the names of the matching tags, ordered by date: separately the tags of commits, and the tags of other
    /// objects, such as a single file.
    private func commitTags(_ pattern: String) throws(CommandError) -> (commits: [String], others: [String]) {
        let names = try output(["tag", "--list", pattern, "--sort=creatordate"]).split(separator: "\n").map(String.init)
        let objects = try taggedObjects()
        return (names.filter { objects[$0]?.kind == "commit" }, names.filter { objects[$0]?.kind != "commit" })
    }

    /// Returns the object to which each tag points, by the tag's name. For an annotated tag, it is the object that the
    /// tag annotates, such as a commit.
    private func taggedObjects() throws(CommandError) -> [String: (kind: Substring, hash: Substring)] {
        // An annotated tag is an object of its own, and the last two words are those of what it is about.
        let format = "%(refname:strip=2) %(objecttype) %(objectname) %(*objecttype) %(*objectname)"
        let lines = try output(["for-each-ref", "--format=\(format)", "refs/tags"]).split(separator: "\n")
        return Dictionary(
            lines.compactMap { line in
                let words = line.split(separator: " ")
                return words.count < 3
                    ? nil : (String(words[0]), (kind: words[words.count - 2], hash: words[words.count - 1]))
            }
        ) { first, _ in first }
    }

    /// Returns notes about matching tags that were left out, or whose order could not be checked.
    func notes(of pattern: String) throws(CommandError) -> [String] {
        var notes: [String] = []
        let others = try commitTags(pattern).others
        if let first = others.first {
            notes.append(
                others.count == 1
                    ? "the tag ‘\(first)’ is of no commit: left out"
                    : "\(others.count) tags, such as ‘\(first)’, are of no commits: left out")
        }
        if try output(["rev-parse", "--is-shallow-repository"]).hasPrefix("true") {
            notes.append(
                "\(root) is a shallow clone: tags that it lacks were not read, and the order of those that it has was "
                    + "not compared with their commits. ‘git fetch --unshallow --tags’ brings the rest")
        }
        return notes
    }

    /// Throws an error if a tag has a lower version number than a tag of an ancestor commit. One of the two tags
    /// probably has a mistyped name, so it is not known which version is newer.
    private func checkOrder(of states: [State], _ pattern: String) throws(CommandError) {
        let versions = Dictionary(states.map { ($0.name, $0.version) }) { first, _ in first }
        let objects = try taggedObjects()
        for newer in states {
            let later = try output(["tag", "--contains", newer.name, "--list", pattern]).split(separator: "\n")
            for name in later.map(String.init) where objects[name]?.hash != objects[newer.name]?.hash {
                guard let low = versions[name] ?? nil, let high = newer.version, low < high else { continue }
                throw CommandError(
                    "The tag ‘\(newer.name)’ is \(high), and ‘\(name)’, which is built on it, is \(low): which came "
                        + "first is not known. Leave one out, as with ‘--tags 'v[0-9]*'’; or list the commits that "
                        + "were shipped in a file, oldest first, each with its version behind it, and say "
                        + "‘--commits FILE’.")
            }
        }
    }

    /// Returns the text of the error for a pattern that matches no tag. It names tags that exist, and the options for
    /// giving commits instead.
    private func noTag(_ pattern: String) throws(CommandError) -> String {
        let all = try output(["tag", "--list", "--sort=-creatordate"]).split(separator: "\n").map(String.init)
        let byHand =
            "list the commits that were shipped in a file, oldest first, each with its version behind it, and "
            + "say ‘--commits FILE’"
        if all.isEmpty { return "\(root) has no tags: \(byHand)." }
        let shown = all.prefix(GitHistory.shownMax).map { "‘\($0)’" }.joined(separator: ", ")
        let rest = all.count > GitHistory.shownMax ? " and \(all.count - GitHistory.shownMax) more" : ""
        let there = "\(root) has no tag ‘\(pattern)’, but \(shown)\(rest)"
        // The part before the number, if most tags have the same.
        let prefixes = all.filter { GitHistory.version(in: $0) != nil }.map { tag in
            String(tag.prefix { !($0.isASCII && $0.isNumber) })
        }
        let counts = Dictionary(grouping: prefixes) { $0 }.mapValues(\.count)
        let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        guard let best, best.allSatisfy({ !"*?[\\'".contains($0) }) else { return "\(there): \(byHand)." }
        return "\(there). Say which: ‘--tags '\(best)[0-9]*'’."
    }

    /// The largest number of existing tags that the error about a missing tag names.
    private static let shownMax = 5

    /// Returns true if the tag's name is that of a prerelease, such as `v2.0.0-beta.1`.
    private static func isTrial(_ tag: String) -> Bool {
        let words = tag.lowercased().split { !$0.isLetter }.map(String.init)
        return words.contains { ["alpha", "beta", "rc", "pre", "preview", "testflight"].contains($0) }
    }

    /// Parses a list of commits, oldest first. Each line contains a commit and, optionally, a space and the version in
    /// that commit. Lines that begin with `#` are skipped.
    static func states(list text: String) throws(CommandError) -> [State] {
        var states: [State] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let name = words.first, !name.hasPrefix("#") else { continue }
            guard words.count <= 2, !name.hasPrefix("-"), words.count == 1 || version(in: words[1]) != nil else {
                throw CommandError("Line \(number + 1) is no commit with or without a version: ‘\(line)’.")
            }
            states.append(State(name: name, version: words.count == 2 ? version(in: words[1]) : nil))
        }
        guard !states.isEmpty else {
            throw CommandError(
                "The list of commits names none: write one to a line, oldest first, its version behind it.")
        }
        return states
    }

    /// Parses the version in a tag's name: `v1.2` → 1.2.0, `ios16-v1.0` → 1.0.0, `release-2024-01-05` → 2024.1.5; `nil`
    /// if the name has no number.
    static func version(in name: String) -> Schema.Version? {
        var text = name.lowercased()
        var date: String?
        if let match = text.firstMatch(of: /(?:^|[^0-9.])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])/) {
            date = "\(match.1).\(match.2).\(match.3)"
            text.replaceSubrange(match.range, with: " ")
        }
        // A number after a ‘v’ is preferred, then one with a point; any other number may not be a version.
        let marked = text.firstMatch(of: /(?:^|[^a-z])v\.?([0-9]+(?:\.[0-9]+)*)/)?.1
        let pointed = text.firstMatch(of: /[0-9]+(?:\.[0-9]+)+/)?.0
        let number = marked ?? pointed
        let digits = number.map(String.init) ?? date ?? text.firstMatch(of: /[0-9]+/).map { String($0.0) }
        guard let digits else { return nil }
        let parts = digits.split(separator: ".").map { Int($0) }
        guard (1...3).contains(parts.count), !parts.contains(nil) else { return nil }
        let numbers = parts.compactMap(\.self) + [0, 0]
        return numbers.prefix(3).allSatisfy({ $0 <= 999_999 })
            ? Schema.Version(numbers[0], numbers[1], numbers[2]) : nil
    }

    /// A file of a commit or tag, identified by its name and the hash of its content.
    struct File: Hashable {
        let name: String
        let blob: String
    }

    /// Lists the Swift files and the files of Core Data models below `paths` in a commit or tag.
    func files(of state: State, _ paths: [String]) throws(CommandError) -> [File] {
        let relative = try paths.map { path throws(CommandError) in try self.relative(path) }
        let listed = try output(["--literal-pathspecs", "ls-tree", "-r", "-z", state.name, "--"] + relative)
        return listed.split(separator: "\0").compactMap { entry in
            // Mode, kind and hash, then a tab and the name; only plain files, and none outside of the folder.
            guard entry.hasPrefix("100"), let tab = entry.firstIndex(of: "\t"),
                let blob = entry[..<tab].split(separator: " ").last
            else { return nil }
            let name = String(entry[entry.index(after: tab)...])
            if name.split(separator: "/").contains("..") { return nil }
            let isRead = [".swift", ".xcdatamodel/contents", ".xcdatamodeld/.xccurrentversion", "/xcmapping.xml"]
                .contains { name.hasSuffix($0) }
            return isRead ? File(name: name, blob: String(blob)) : nil
        }
    }

    /// Finds a file or folder in a commit or tag that has the same last path component as one of `paths`, and returns
    /// its path; `nil` if there is none.
    func location(of paths: [String], in state: State) throws(CommandError) -> String? {
        let names = try paths.map { path throws(CommandError) in try relative(path) }
            .compactMap { $0.split(separator: "/").last.map(String.init) }
        let listed = try output(["ls-tree", "-r", "-t", "-z", "--name-only", state.name])
        return listed.split(separator: "\0").map(String.init)
            .first { file in names.contains { file.hasSuffix("/\($0)") || file == $0 } }
    }

    /// Writes files into `folder` with exactly the content stored in the repository. Conversions set in
    /// `.gitattributes` for archives and working copies are not applied.
    func extract(_ files: [File], into folder: URL) throws(CommandError) {
        let list = folder.appending(path: ".syncserver-blobs")
        do {
            try Data((files.map(\.blob).joined(separator: "\n") + "\n").utf8).write(to: list)
            let (status, output, errors) = try ProcessOutput.of(
                "/bin/sh", ["-c", "exec git -C \"$1\" cat-file --batch <\"$2\"", "sh", root, list.path])
            guard status == 0 else { throw CommandError("git cat-file: \(errors)") }
            var rest = output[...]
            for file in files {
                // The object's name, its kind and its size; then its bytes and the end of a line.
                guard let end = rest.firstIndex(of: UInt8(ascii: "\n")),
                    let size = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").last.flatMap({
                        Int($0)
                    }),
                    rest.endIndex - end > size + 1
                else { throw CommandError("The repository \(root) lacks the content of \(file.name).") }
                let start = rest.index(after: end)
                let url = folder.appending(path: file.name)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(rest[start..<(start + size)]).write(to: url)
                rest = rest[(start + size + 1)...]
            }
            try FileManager.default.removeItem(at: list)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError("The files of \(root) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Returns the path relative to the repository's top folder.
    func relative(_ path: String) throws(CommandError) -> String {
        let full = URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
        let base = URL(filePath: root).standardizedFileURL.resolvingSymlinksInPath().path
        if full == base { return "." }
        guard full.hasPrefix(base + "/") else { throw CommandError("‘\(path)’ is not in the repository \(root).") }
        return String(full.dropFirst(base.count + 1))
    }
}
