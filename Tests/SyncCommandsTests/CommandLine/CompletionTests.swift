import Foundation
import SyncTestSupport
import Testing

@testable import SyncCommands

/// The completions for shells. Bash runs its own here; the others are read by their shells where those are installed.
@Suite struct CompletionTests {
    private let script = CompletionScript(
        CommandPath(.program("syncserver", "A server", commands: SyncServerProgram.commands)),
        apps: ["fitiq", "keeptrack"])

    /// Returns what bash would offer for the last of the words.
    private func completions(_ words: [String]) async throws -> [String] {
        let line = words.map { CompletionScript.quoted($0) }.joined(separator: " ")
        let program = """
            \(script.bash)
            COMP_WORDS=(\(line)) COMP_CWORD=\(words.count - 1)
            _syncserver
            ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
            """
        let (status, output) = try await run("/bin/bash", ["--norc", "-u", "-c", program])
        #expect(status == 0, "\(output)")
        return output.split(separator: "\n").map(String.init)
    }

    @Test(
        "Bash offers commands, options and their values",
        arguments: [
            ("mig", ["migrate"]), ("migrate re", ["rehearse", "resolve"]), ("help migrate pl", ["plan"]),
            ("schema s", ["show", "sql", "swift"]), ("--v", ["--version"]), ("migrate plan --c", ["--contract"]),
            ("census --", ["--app", "--database", "--json", "--help"]),
            ("gc --app ", ["fitiq", "keeptrack"]), ("gc --dry-run --app k", ["keeptrack"]), ("gc --app = f", ["fitiq"]),
            ("gc --app =", ["fitiq", "keeptrack"]), ("serve --migrate ", ["auto", "check"]),
            ("schema check --database --se", ["--seed"]), ("completions ", ["bash", "zsh", "fish"]),
            ("gc --older-than ", []), ("migrate resolve fitiq/7 --as p", ["pending"]),
            ("import --dry-run Pack", ["Package.swift"]), ("export --output Pack", ["Package.swift"]),
            ("serve --migrations Migr", ["Migrations"]), ("serve --migrations Pack", []),
        ])
    func bashCompletes(line: String, offered: [String]) async throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        #expect(try await completions(["syncserver"] + words) == offered)
    }

    @Test(
        "Every command is offered by its own name, with all that it takes",
        arguments: CommandTableTests.paths.filter { $0 != "help" })
    func bashKnowsEveryCommand(words: String) async throws {
        let program = CommandPath(.program("syncserver", "A server", commands: SyncServerProgram.commands))
        let words = words.split(separator: " ").map(String.init)
        let command = try program.resolve(words[...]).path.command
        #expect(try await completions(["syncserver"] + words + ["--"]) == command.allOptions.map(\.word))
        if let name = words.last {
            #expect(try await completions(["syncserver"] + words).contains(name))
        }
    }

    @Test(
        "The shells read their scripts",
        arguments: [
            (CompletionScript.Shell.bash, "/bin/bash"), (.zsh, "/usr/bin/zsh"), (.fish, "/usr/bin/fish"),
        ])
    func shellsReadTheirScripts(shell: CompletionScript.Shell, executable: String) async throws {
        guard FileManager.default.isExecutableFile(atPath: executable) else { return }
        let file = FileManager.default.temporaryDirectory.appending(path: "completions-\(UUID()).\(shell.rawValue)")
        try Data(script.text(for: shell).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (status, output) = try await run(executable, ["-n", file.path])
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test func fishAndZshKnowEveryCommandAndOption() {
        let (zsh, fish) = (script.zsh, script.fish)
        for entry in script.entries {
            for option in entry.command.allOptions {
                #expect(zsh.contains("'\(option.word):"))
                #expect(fish.contains("_at \\'\(entry.key)\\'' -l \(option.name) "), "\(entry.key) \(option.word)")
            }
        }
    }

    @Test func theProgramPrintsThem() async throws {
        for shell in CompletionScript.Shell.allCases {
            let run = try await CommandRun(["completions", shell.rawValue])
            #expect(run.status == 0 && run.output.contains("quarantine"))
        }
        let unknown = try await CommandRun(["completions", "csh"])
        #expect(unknown.status == 2 && unknown.errors.contains("bash, zsh and fish, not for ‘csh’"))
    }

    private func run(_ executable: String, _ words: [String]) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = words
        process.currentDirectoryURL = URL(filePath: Repository.root)
        process.standardInput = FileHandle.nullDevice
        let output = try TakenOutput()
        process.standardOutput = output.handle
        process.standardError = output.handle
        let ended = Gate()
        process.terminationHandler = { _ in ended.open() }
        try process.run()
        await ended.wait()
        return (process.terminationStatus, try output.text)
    }
}
