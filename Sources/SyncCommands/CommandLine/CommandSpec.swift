/// A command as a value: what it is called, what it takes, and what it runs. Parsing, help, suggestions, completions
/// and the manual page are all made from it, so nothing about a command is said twice.
package struct CommandSpec: Sendable {
    /// What a command does, given its arguments and options; the result is the exit status.
    package typealias Action = @Sendable (Options) async throws -> Int32

    let name: String
    /// What it does, in a sentence of one line.
    let summary: String
    /// What else there is to know, a paragraph each.
    let details: [String]
    let arguments: [ArgumentSpec]
    let options: [OptionSpec]
    let subcommands: [CommandSpec]
    /// `nil` for a command that only has subcommands.
    let run: Action?

    /// A command that does something.
    package init(
        _ name: String, _ summary: String, details: [String] = [], arguments: [ArgumentSpec] = [],
        options: [OptionSpec] = [], run: @escaping Action
    ) {
        (self.name, self.summary, self.details) = (name, summary, details)
        (self.arguments, self.options) = (arguments, options)
        subcommands = []
        self.run = run
    }

    /// A command that is a choice of others.
    package init(
        _ name: String, _ summary: String, details: [String] = [], options: [OptionSpec] = [],
        subcommands: [CommandSpec]
    ) {
        (self.name, self.summary, self.details) = (name, summary, details)
        (arguments, self.options, self.subcommands) = ([], options, subcommands)
        run = nil
    }

    subscript(subcommand name: String) -> CommandSpec? { subcommands.first { $0.name == name } }

    /// The options that it has, and the one that every command has.
    var allOptions: [OptionSpec] { options + [.help] }
}
