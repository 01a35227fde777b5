import Testing

@testable import SyncCommands

/// Tests of the table that parses a command line.
@Suite struct OptionsTests {
    private static let command = CommandPath(
        CommandSpec(
            "dig", "Dig a hole", arguments: [ArgumentSpec("WHERE", ""), ArgumentSpec("HOW", "", count: .optional)],
            options: [
                .flag("dry-run", ""), .value("depth", "N", ""), .value("with", "TOOL", "", isRepeated: true),
                .value("log", "FILE", "", isOptional: true), .value("by", "DAY", "", kind: .words(["mon", "tue"])),
            ]
        ) { _ in 0 })

    private func read(_ words: String...) throws(UsageError) -> Options { try Options(words, of: Self.command) }

    @Test func valuesFlagsAndArgumentsStandInAnyOrder() throws {
        let options = try read("--depth", "3", "here", "--dry-run", "--with=spade", "--with", "hands")
        #expect(options["depth"] == "3" && options.has("dry-run") && options.positional == ["here"])
        #expect(options.all("with") == ["spade", "hands"] && options["with"] == "hands")
        #expect(try read("here", "--depth=a=b")["depth"] == "a=b")
    }

    @Test func aValueMayBeLeftOutWhereTheTableSaysSo() throws {
        #expect(try read("here", "--log").has("log"))
        let options = try read("here", "--log", "--dry-run")
        #expect(options.has("log") && options.has("dry-run") && options["log"] == nil)
        #expect(try read("here", "--log", "a.txt")["log"] == "a.txt")
    }

    @Test func afterTwoDashesEverythingIsAnArgument() throws {
        #expect(try read("--", "--dry-run", "-").positional == ["--dry-run", "-"])
        #expect(try !read("--", "--dry-run").has("dry-run"))
    }

    @Test(
        arguments: [
            (["here", "--dryrun"], "‘dig’ has no option ‘--dryrun’. Did you mean ‘--dry-run’?"),
            (["here", "--dept=3"], "‘dig’ has no option ‘--dept’. Did you mean ‘--depth’?"),
            (["here", "-d"], "‘dig’ has no option ‘-d’. See"),
            (["here", "--dry-run=yes"], "‘--dry-run’ takes no value."),
            (["here", "--depth"], "‘--depth’ needs a value: --depth N."),
            (["here", "--by"], "‘--by’ takes mon or tue."),
            (["here", "--depth="], "The value of ‘--depth’ is empty."),
            (["here", "--depth", ""], "The value of ‘--depth’ is empty."), ([""], "An argument of ‘dig’ is empty."),
            (["here", "--by", "--dry-run"], "‘--by’ takes mon or tue, not ‘--dry-run’."),
            ([], "WHERE is missing: dig [OPTION…] WHERE [HOW]"),
            (["a", "b", "c"], "‘c’ is one word too many: dig [OPTION…] WHERE [HOW]"),
        ] as [([String], String)])
    func whatIsNotUnderstoodIsSaid(words: [String], message: String) throws {
        let error = try #require(throws: UsageError.self) { try Options(words, of: Self.command) }
        #expect(error.description.hasPrefix(message), "\(error)")
    }
}
