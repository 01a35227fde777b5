extension CommandSpec {
    /// Makes the specification of a whole program: the given commands, and those for help, completions and the manual
    /// page, which are generated from the given ones.
    static func program(_ name: String, _ summary: String, commands: [CommandSpec]) -> CommandSpec {
        let made = [CompletionsCommand.spec, ManualCommand.spec].map { make in
            make { program(name, summary, commands: commands) }
        }
        return CommandSpec(
            name, summary,
            options: [.flag("version", "print the versions of the program, the protocol and PostgreSQL")],
            subcommands: commands + made + [helpCommand])
    }

    /// The specification of `help`, for the lists of commands only. `help` is executed before a command is looked up.
    private static let helpCommand = CommandSpec(
        "help", "Say what a command does and takes",
        arguments: [
            ArgumentSpec("COMMAND", "the command, such as ‘migrate plan’; without it, all are listed", count: .any)
        ]
    ) { _ in 0 }
}
