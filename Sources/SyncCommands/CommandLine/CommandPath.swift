import PGMigrations

/// A command together with its parent commands, beginning with the program: `syncserver`, `migrate`, `plan`.
struct CommandPath: Sendable {
    private let ancestors: [CommandSpec]
    let command: CommandSpec

    /// Makes the path of the program itself, without a subcommand.
    init(_ program: CommandSpec) {
        (ancestors, command) = ([], program)
    }

    private init(_ subcommand: CommandSpec, of path: CommandPath) {
        (ancestors, command) = (path.ancestors + [path.command], subcommand)
    }

    /// The whole path as words: `syncserver migrate plan`.
    var words: String { (ancestors + [command]).map(\.name).joined(separator: " ") }

    /// The path without the program's name.
    var wordsInProgram: String { (ancestors + [command]).dropFirst().map(\.name).joined(separator: " ") }

    var isProgram: Bool { ancestors.isEmpty }

    func child(_ subcommand: CommandSpec) -> CommandPath { CommandPath(subcommand, of: self) }

    /// This command and all its descendants, in the order in which they are declared.
    var tree: [CommandPath] { [self] + command.subcommands.flatMap { child($0).tree } }

    /// Finds the command that the words of a command line name: each word names a subcommand of the command before it.
    ///
    /// - Returns: the path of the command, and the words after its name.
    /// - Throws: `UsageError`, if a word must name a subcommand, but there is no subcommand with this name.
    func resolve(_ words: ArraySlice<String>) throws(UsageError) -> (path: CommandPath, rest: [String]) {
        guard !command.subcommands.isEmpty, let word = words.first, !word.hasPrefix("-") else {
            return (self, Array(words))
        }
        guard let next = command[subcommand: word] else { throw unknown(word) }
        return try child(next).resolve(words.dropFirst())
    }

    private func unknown(_ word: String) -> UsageError {
        let what = isProgram ? "command ‘\(word)’" : "‘\(words) \(word)’"
        return UsageError("There is no \(what).\(suggestion(for: word)) See ‘\(words) --help’.")
    }

    private func suggestion(for word: String) -> String {
        if let near = NearestWord.of(word, among: command.subcommands.map(\.name)) {
            return " Did you mean ‘\(words) \(near)’?"
        }
        // ‘syncserver doctor’ for ‘syncserver migrate doctor’.
        let all = CommandPath(ancestors.first ?? command).tree.dropFirst()
        let near = NearestWord.of(word, among: Set(all.map(\.command.name)).sorted())
        let elsewhere = all.filter { $0.command.name == near }
        let names = elsewhere.map { "‘\($0.words)’" }
        return names.isEmpty ? "" : " Did you mean \(names.joined(separator: " or "))?"
    }
}
