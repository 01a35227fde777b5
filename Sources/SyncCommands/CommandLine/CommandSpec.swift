/// A command as a value: its name, its arguments and options, and its action. Parsing, help, suggestions, completions
/// and the manual page are all generated from this value, so each fact about a command is written only once.
package struct CommandSpec: Sendable {
    /// The function that executes a command with its arguments and options. It returns the exit status.
    package typealias Action = @Sendable (Options) async throws -> Int32

    let name: String
    /// The command's purpose, as one sentence of one line.
    let summary: String
    /// Further paragraphs for the help text.
    let details: [String]
    let arguments: [ArgumentSpec]
    let options: [OptionSpec]
    let subcommands: [CommandSpec]
    /// The action; `nil` for a command that only has subcommands.
    let run: Action?

    /// Makes a command that has an action of its own.
    package init(
        _ name: String, _ summary: String, details: [String] = [], arguments: [ArgumentSpec] = [],
        options: [OptionSpec] = [], run: @escaping Action
    ) {
        (self.name, self.summary, self.details) = (name, summary, details)
        (self.arguments, self.options) = (arguments, options)
        subcommands = []
        self.run = run
    }

    /// Makes a command that only has subcommands.
    package init(
        _ name: String, _ summary: String, details: [String] = [], options: [OptionSpec] = [],
        subcommands: [CommandSpec]
    ) {
        (self.name, self.summary, self.details) = (name, summary, details)
        (arguments, self.options, self.subcommands) = ([], options, subcommands)
        run = nil
    }

    subscript(subcommand name: String) -> CommandSpec? { subcommands.first { $0.name == name } }

    /// The command's own options, followed by `--help`, which every command has.
    var allOptions: [OptionSpec] { options + [.help] }
}
