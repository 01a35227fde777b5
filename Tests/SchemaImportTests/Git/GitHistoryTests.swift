import Foundation
import SourceFacts
import SyncTestSupport
import Testing
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// The states of sources at the tags and commits of a repository.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct GitHistoryTests: ImportSuite {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func aTagThatOthersAreBuiltOnAndThatHasAHigherNumberIsRefused() async throws {
        try git("init", "--quiet")
        for (tag, property) in [("v.131", "var a: Int?"), ("v1.0", "var b: Int?"), ("v2.0", "var c: Int?")] {
            try write(model(property), "App/Trip.swift")
            try git("add", ".")
            try git("commit", "--quiet", "-m", tag)
            try git("tag", tag)
        }
        let words = ["import", "\(folder)/App", "--app", "trips", "--dry-run", "--git"]
        #expect(await run(words) == 1)
        #expect(await run(words + ["--tags", "v[0-9]*"]) == 0)
        let history = try GitHistory(around: folder)
        #expect {
            _ = try history.tags("v*")
        } throws: { "\($0)".contains("‘v.131’ is 131.0.0, and ‘v1.0’, which is built on it, is 1.0.0") }
    }

    @Test func filesThatAreOlderThanATagAreRefused() throws {
        try git("init", "--quiet")
        for tag in ["v1", "v2", "v3"] {
            try write(model("var \(tag): Int?"), "App/Trip.swift")
            try git("add", ".")
            try git("commit", "--quiet", "-m", tag)
            try git("tag", tag)
        }
        let history = try GitHistory(around: folder)
        try git("checkout", "--quiet", "v2")
        #expect {
            _ = try history.tags("v*")
        } throws: { "\($0)".contains("check out ‘v3’") }
        // A release branch has commits that no later tag contains.
        try git("checkout", "--quiet", "-b", "hotfix")
        try git("commit", "--quiet", "--allow-empty", "-m", "hotfix")
        #expect(try history.tags("v*").count == 3)
    }

    /// A version of a branch lies between the two whose order is wrong.
    @Test func everyTagIsComparedWithAllThatAreBuiltOnIt() throws {
        try git("init", "--quiet")
        func commit(_ tag: String) throws {
            try write(model("var \(tag.filter(\.isLetter))\(tag.filter(\.isNumber)): Int?"), "App/Trip.swift")
            try git("add", ".")
            try git("commit", "--quiet", "-m", tag)
            try git("tag", tag)
        }
        try commit("v1.0")
        try git("checkout", "--quiet", "-b", "hotfix")
        try commit("v2.5")
        try git("checkout", "--quiet", "main")
        try commit("v3.0")
        let history = try GitHistory(around: folder)
        #expect(try history.tags("v*").map(\.name) == ["v1.0", "v2.5", "v3.0"])
        try commit("v2.0")
        #expect {
            _ = try history.tags("v*")
        } throws: { "\($0)".contains("‘v3.0’ is 3.0.0, and ‘v2.0’, which is built on it, is 2.0.0") }
    }

    /// Files that `.gitattributes` excludes from archives belong to the app, too.
    @Test func whatArchivesLeaveOutIsRead() throws {
        try git("init", "--quiet")
        try write("App/Old export-ignore\n*.swift export-subst\n", ".gitattributes")
        try write(model("var a = \"$Format:%H$\""), "App/Old/Trip.swift")
        try write("struct Odd {}\n", "App/:odd name’s.swift")
        try git("add", ".")
        try git("commit", "--quiet", "-m", "one")
        try git("tag", "v1.0")
        let history = try GitHistory(around: folder)
        var reader = CommitReader(
            history, try SourcesProgram.findOrBuild(stated: Corpus.program), paths: ["\(folder)/App"])
        let facts = try reader.facts(of: try history.tags("v*")[0])
        #expect(facts?.types.map(\.name).sorted() == ["Odd", "Trip"])
        let text = String(describing: facts)
        #expect(text.contains("$Format:%H$"))
    }

    @Test func aListOfCommitsIsReadWhateverItsLinesEndWith() throws {
        let states = try GitHistory.states(list: "# ours\r\nabc 1.0.0\r\n\r\ndef\t2.0\r\nghi\r\n")
        #expect(states.map(\.name) == ["abc", "def", "ghi"])
        #expect(states.map { $0.version.map { "\($0)" } } == ["1.0.0", "2.0.0", nil])
        #expect(throws: CommandError.self) { try GitHistory.states(list: "# none\n\n") }
    }

    @Test(arguments: [
        ("v1.2", "1.2.0"), ("v.131", "131.0.0"), ("release/2.0.1", "2.0.1"), ("ios16-v1.0", "1.0.0"),
        ("ios16.2-v3", "3.0.0"), ("release-2024-01-05", "2024.1.5"), ("v2024-01-05", "2024.1.5"),
        ("v1.2-2024-01-05", "1.2.0"), ("2024.11.3", "2024.11.3"), ("rev1.4", "1.4.0"), ("build-77", "77.0.0"),
        ("V3", "3.0.0"), ("v1.2.3.4", nil), ("latest", nil), ("20240105", nil),
    ])
    func aTagsNumberIsTheOneThatItMeans(_ tag: String, _ number: String?) {
        #expect(GitHistory.version(in: tag).map { "\($0)" } == number)
    }

    @Test func whatOfTheTagsWasNotReadIsSaid() throws {
        try git("init", "--quiet")
        try write(model("var a: Int?"), "App/Trip.swift")
        try git("add", ".")
        try git("commit", "--quiet", "-m", "one")
        try git("tag", "v1")
        try git("tag", "v1-notes", "HEAD:App/Trip.swift")
        let history = try GitHistory(around: folder)
        #expect(try history.tags("v*").map(\.name) == ["v1"])
        #expect(try history.notes(of: "v*") == ["the tag ‘v1-notes’ is of no commit: left out"])
        try git("clone", "--quiet", "--depth", "1", "file://\(folder)", "\(folder)/shallow")
        let shallow = try GitHistory(around: "\(folder)/shallow").notes(of: "v*")
        #expect(shallow.contains { $0.contains("is a shallow clone") }, "\(shallow)")
    }

    @Test func aFileIsReadOnceInEachContentAndAFolderThatWasMovedIsNamed() throws {
        try git("init", "--quiet")
        for (tag, location) in [("v1", "Old/Models"), ("v2", "New/Models"), ("v3", "New/Models"), ("v4", "New/Models")]
        {
            try? FileManager.default.removeItem(atPath: "\(folder)/Old")
            try write(model("var a: Int?"), "\(location)/Trip.swift")
            try write("struct \(tag.uppercased()) {}\n", "\(location)/Other.swift")
            try git("add", "--all")
            try git("commit", "--quiet", "-m", tag)
            try git("tag", tag)
        }
        let history = try GitHistory(around: folder)
        let states = try history.tags("v*")
        var reader = CommitReader(
            history, try SourcesProgram.findOrBuild(stated: Corpus.program), paths: ["\(folder)/New/Models"])
        let facts = try states.map { try reader.facts(of: $0) }
        #expect(
            facts.map { $0?.types.map(\.name).sorted() } == [nil, ["Trip", "V2"], ["Trip", "V3"], ["Trip", "V4"]])
        #expect(facts.last??.files == ["New/Models/Other.swift", "New/Models/Trip.swift"])
        #expect(reader.filesRead == 4)
        let note = try reader.noteOfEmpty()
        #expect(note?.contains("v1 has no Swift file or Core Data model at ") == true, "\(note ?? "")")
        #expect(note?.contains("v1 has it as ‘Old/Models’") == true, "\(note ?? "")")
    }

    @Test func whatWasOnlyTriedComesBeforeTheRelease() throws {
        try git("init", "--quiet")
        try write(model(), "App/Trip.swift")
        try git("add", ".")
        try git("commit", "--quiet", "-m", "one")
        for tag in ["v2.0.0", "v2.0.0-rc.1", "v2.0.0-beta.2", "v1.0", "v2.0.0-2"] { try git("tag", tag) }
        let tags = try GitHistory(around: folder).tags("v*").map(\.name)
        #expect(tags.first == "v1.0")
        #expect(Set(tags[1...2]) == ["v2.0.0-rc.1", "v2.0.0-beta.2"])
        #expect(Set(tags[3...]) == ["v2.0.0", "v2.0.0-2"])
    }

    /// Each case is read once more with the pattern that the error names.
    @Test(arguments: [
        (["1.0", "1.1", "before-rewrite"], "--tags '[0-9]*'", 2),
        (["app-v2.0.0", "app-v1", "web-1"], "--tags 'app-v[0-9]*'", 2),
        (["release/1.0"], "--tags 'release/[0-9]*'", 1), (["one", "two"], "--commits FILE", 0), ([], "has no tags", 0),
        (["1", "2", "3", "4", "5", "6", "7"], "and 2 more", 7),
    ])
    func whereNoTagMatchesTheErrorSaysWhichThereAre(tags: [String], words: String, count: Int) throws {
        try git("init", "--quiet")
        try git("commit", "--quiet", "--allow-empty", "-m", "one")
        for tag in tags { try git("tag", tag) }
        let history = try GitHistory(around: folder)
        let error = try #require(throws: CommandError.self) { try history.tags("v*") }
        #expect(error.description.contains(words))
        guard let pattern = error.description.split(separator: "'").dropFirst().first, count > 0 else { return }
        #expect(try history.tags(String(pattern)).count == count)
    }
}
