extension CommandSpec {
    /// A whole program.
    static func program(_ name: String, _ summary: String, commands: [CommandSpec]) -> CommandSpec {
        CommandSpec(
            name, summary,
            options: [.flag("version", "print the versions of the program, the protocol and PostgreSQL")],
            subcommands: commands + [helpCommand])
    }

    /// `help` is answered before a command is looked for; this is how the table shows it.
    private static let helpCommand = CommandSpec(
        "help", "Say what a command does and takes",
        arguments: [
            ArgumentSpec("COMMAND", "the command, such as ‘migrate plan’; without it, all are listed", count: .any)
        ]
    ) { _ in 0 }
}
