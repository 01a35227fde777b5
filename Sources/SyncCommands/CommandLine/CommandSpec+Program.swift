extension CommandSpec {
    /// Makes the specification of a whole program. It has the given commands, and the commands for help, completions
    /// and the manual page, whose texts are generated from the given commands.
    static func program(_ name: String, _ summary: String, commands: [CommandSpec]) -> CommandSpec {
        let made = [CompletionsCommand.spec, ManualCommand.spec].map { make in
            make { program(name, summary, commands: commands) }
        }
        return CommandSpec(
            name, summary,
            options: [.flag("version", "print the versions of the program, the protocol and PostgreSQL")],
            subcommands: commands + made + [helpCommand])
    }

    /// The specification of `help`, which only adds the command to the lists of commands. `help` is executed before the
    /// program looks up a command, so the action here never runs.
    private static let helpCommand = CommandSpec(
        "help", "Say what a command does and takes",
        arguments: [
            ArgumentSpec("COMMAND", "the command, such as ‘migrate plan’; without it, all are listed", count: .any)
        ]
    ) { _ in 0 }
}
