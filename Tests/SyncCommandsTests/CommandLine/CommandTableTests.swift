import Foundation
import SyncSimulator
import SyncTestSupport
import Testing

@testable import SyncCommands

/// The table of commands, and what is made from it for people.
@Suite struct CommandTableTests {
    private static let program = CommandPath(.program("syncserver", "A server", commands: SyncServerProgram.commands))

    static let paths = program.tree.map(\.wordsInProgram)

    private func path(_ words: String) throws -> CommandPath {
        try Self.program.resolve(words.split(separator: " ").map(String.init)[...]).path
    }

    @Test("Every command prints its help, in three ways and in lines of at most 100 columns", arguments: paths)
    func everyCommandHasHelp(words: String) async throws {
        let path = try path(words)
        let text = HelpText(path: path).text
        #expect(text.hasPrefix("Usage: syncserver"))
        for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
        for option in path.command.options { #expect(text.contains("  \(option.word)"), "\(option.word)") }
        for subcommand in path.command.subcommands { #expect(text.contains("  \(subcommand.name) ")) }
        let command = words.split(separator: " ").map(String.init)
        for line in [command + ["--help"], command + ["-h"], ["help"] + command] {
            #expect(await SyncServerProgram.main(["syncserver"] + line) == 0, "\(line)")
        }
        // Whatever else the line says.
        #expect(await SyncServerProgram.main(["syncserver"] + command + ["--nonsense", "--help"]) == 0)
    }

    @Test(arguments: paths)
    func noNameIsTakenTwice(words: String) throws {
        let command = try path(words).command
        #expect(Set(command.allOptions.map(\.name)).count == command.allOptions.count)
        #expect(Set(command.subcommands.map(\.name)).count == command.subcommands.count)
        // A line of the help begins with a capital letter and gets its full stop there.
        for text in [command.summary] + command.subcommands.map(\.summary) {
            #expect(text.first?.isUppercase == true && text.last != ".", "\(text)")
        }
    }

    @Test("Every option that the sources read is declared, and every declared option is read")
    func theTableIsWhatIsRead() throws {
        let declared = Set(Self.program.tree.flatMap(\.command.options).map(\.name))
        let sources = URL(filePath: Repository.root + "/Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        let word = /"([a-z-]+)"/
        let reading =
            /options(?:\.(?:has|all|required|integer|duration|document)\(|\[|, )"[a-z-]+"|versions\("[a-z]+", options/
        var read: Set<String> = ["version"]
        // SQL has options, too.
        for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/SQLText/") {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: reading) {
                if let name = match.output.firstMatch(of: word) { read.insert(String(name.1)) }
            }
        }
        // ‘json-schema’ takes it for the sake of scripts.
        #expect(read == declared)
    }

    /// `syncserver` explains `compat` without linking the simulator.
    @Test func theFaultsOfCompatAreTheSimulators() {
        #expect(CompatSpec.faultNames == Fault.allCases.map(\.rawValue))
    }

    @Test func aProgramOfOtherCommandsExplainsThose() async {
        let greet = CommandSpec(
            "greet", "Say good day", arguments: [ArgumentSpec("NAME", "whom")], options: [.flag("twice", "once more")]
        ) { options in options.has("twice") && options.positional == ["Ada"] ? 7 : 8 }
        func status(_ words: String...) async -> Int32 {
            await SyncServerProgram.main(["greeter"] + words, apps: [], commands: [greet])
        }
        #expect(await status("greet", "--twice", "Ada") == 7)
        #expect(await status("help", "greet") == 0)
        #expect(await status("serve") == 2)
        let table = CommandPath(.program("greeter", "Says things", commands: [greet]))
        #expect(CompletionScript(table, apps: []).bash.contains("complete -F _greeter greeter"))
        #expect(HelpText(path: table).text.contains("greet        Say good day"))
    }
}
