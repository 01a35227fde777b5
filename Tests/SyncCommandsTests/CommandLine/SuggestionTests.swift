import PGMigrations
import Testing

@testable import SyncCommands

/// Tests of the suggestions for an unknown word.
@Suite struct SuggestionTests {
    @Test(
        arguments: [
            ("migrat", "Did you mean ‘syncserver migrate’?"), ("mirgate", "Did you mean ‘syncserver migrate’?"),
            ("quarentine", "Did you mean ‘syncserver quarantine’?"), ("comp", "Did you mean ‘syncserver compat’?"),
            ("tokens", "Did you mean ‘syncserver token’?"), ("xyzzy", "There is no command ‘xyzzy’. See"),
            ("migrate stats", "Did you mean ‘syncserver migrate status’?"),
            ("migrate diff", "Did you mean ‘syncserver schema diff’?"),
            ("rehearse", "Did you mean ‘syncserver migrate rehearse’?"),
            ("plan", "Did you mean ‘syncserver migrate plan’ or ‘syncserver schema plan’?"),
        ])
    func theNearestCommandIsOffered(line: String, message: String) throws {
        let program = CommandPath(.program("syncserver", "A server", commands: SyncServerProgram.commands))
        let words = line.split(separator: " ").map(String.init)
        let error = try #require(throws: UsageError.self) { try program.resolve(words[...]) }
        #expect(error.description.contains(message), "\(error)")
    }

    @Test(
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "abd", 1), ("abc", "ab", 1),
            ("kitten", "sitting", 3), ("status", "stauts", 1),
        ])
    func slipsAreCounted(first: String, second: String, count: Int) {
        #expect(NearestWord.distance(first, second) == count)
        #expect(NearestWord.distance(second, first) == count)
    }
}
