import Foundation
import SyncTestSupport
import Testing

@testable import SyncCommands

/// Each command line in the pages is one that the program understands.
@Suite struct PageCommandTests {
    private static let program = CommandPath(.program("syncserver", "A server", commands: SyncServerProgram.commands))

    /// Not CHANGELOG.md, which names what is gone, nor the decisions, which say what was weighed at their time.
    private static let pages: [String] = {
        let found = ["docs", "docs/internals"].flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/\(folder)")) ?? []
            return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        }
        return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "llms.txt", "deploy/README.md"] + found
    }()

    @Test(arguments: pages) func everyCommandOfAPageIsThere(page: String) throws {
        let text = try String(contentsOfFile: "\(Repository.root)/\(page)", encoding: .utf8)
        for code in PageCode.all(in: text) {
            for fault in Self.faults(in: code) { Issue.record("\(page):\(code.line): \(fault)") }
        }
    }

    @Test func thePagesHaveCommands() throws {
        let commands = try Self.pages.flatMap { page in
            PageCode.all(in: try String(contentsOfFile: "\(Repository.root)/\(page)", encoding: .utf8))
                .flatMap(Self.commands)
        }
        #expect(Self.pages.count > 20)
        #expect(commands.count > 100)
        for words in [["migrate", "up", "--no-backfill"], ["epoch", "--renew", "--yes"], ["man"]] {
            #expect(commands.contains(words), "\(words)")
        }
    }

    @Test(arguments: [
        ("`syncserver migrat up`", "There is no command ‘migrat’"),
        ("`syncserver migrate upp`", "‘syncserver migrate upp’"),
        ("`.build/release/syncserver migrate up --nonsense`", "no option ‘--nonsense’"),
        ("`serve --nonsense`", "no option ‘--nonsense’"), ("`syncserver help nonsense`", "‘nonsense’"),
        ("`migrate\nup --nonsense=1`", "no option ‘--nonsense’"), ("`swift run pantry nonsense`", "‘nonsense’"),
        ("```sh\na && b=$(syncserver nonsense) # c\n```", "‘nonsense’"),
        ("```sh\nsyncserver epoch \\\n  --nonsense\n```", "no option ‘--nonsense’"),
        ("```sh\nA='b c' syncserver export one two\n```", "one word too many"),
        ("```sh\nsyncserver export --space | a\n```", "needs a value"),
        ("```sh\n. <(syncserver none bash)\n```", "‘none’"),
    ])
    func aFaultyCommandIsFound(text: String, fault: String) {
        let faults = PageCode.all(in: text).flatMap(Self.faults)
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
    }

    @Test(arguments: [
        "`syncserver`, `syncserver COMMAND --help`, `syncserver token`, `syncserver migrate up [--contract]`",
        "`serve`, `serve --demo`, `token create --identity identity.json …`, `service --nonsense`, `git --nonsense`",
        "`a -t syncserver .`",
        "```sh\nsyncserver epoch --renew --yes 2>a # --more\n```",
        "```sh\n. <(syncserver completions bash); swift build --product syncserver\n```",
        "```json\nsyncserver nonsense\n```", "```sh\n# syncserver nonsense\nsyncserver --version | cat --nonsense\n```",
    ])
    func aGoodCommandIsNone(text: String) {
        #expect(PageCode.all(in: text).flatMap(Self.faults) == [])
    }

    /// The words after the program's name, for each time that it is called.
    private static func commands(in code: PageCode) -> [[String]] {
        code.commands.flatMap { words -> [[String]] in
            if !code.isShell, let first = words.first, program.command[subcommand: first] != nil,
                words.contains(where: { $0.hasPrefix("--") })
            {
                return [words]
            }
            // Elsewhere it is an argument: ‘-t syncserver .’
            let before = words.prefix { $0.contains("=") || ["{", "exec", "env", "swift", "run"].contains($0) }
            guard before.count < words.count else { return [] }
            let name = words[before.count]
            let isProgram =
                name == "syncserver" || name.hasSuffix("/syncserver") || name == "pantry" && before.last == "run"
            return isProgram ? [Array(words[(before.count + 1)...])] : []
        }
    }

    private static func faults(in code: PageCode) -> [String] {
        commands(in: code).compactMap { fault(in: $0, isWhole: code.isShell) }
    }

    /// - Parameter isWhole: whether it can be run as it is; what the text names may lack arguments.
    private static func fault(in words: [String], isWhole: Bool) -> String? {
        if words.first == "help" { return fault(in: Array(words.dropFirst()), isWhole: false) }
        // ‘syncserver COMMAND --help’
        if words.first?.allSatisfy(\.isUppercase) == true { return nil }
        do {
            let (path, rest) = try program.resolve(words[...])
            if rest.contains("--help") { return nil }
            if isWhole, path.command.run != nil {
                _ = try Options(rest, of: path)
                return nil
            }
            let known = Set(path.command.allOptions.map(\.word))
            for word in rest.prefix(while: { $0 != "--" }) {
                let option = word.drop { $0 == "[" }.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
                if option.hasPrefix("--"), !known.contains(String(option)) {
                    throw Options.unknown(String(option), of: path)
                }
            }
            return nil
        } catch {
            return "\(error)"
        }
    }
}
