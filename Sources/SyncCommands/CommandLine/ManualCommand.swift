/// `syncserver man`: the manual page.
enum ManualCommand {
    /// - Parameter program: the table that the page is made from; it has this command in it, too.
    static func spec(_ program: @escaping @Sendable () -> CommandSpec) -> CommandSpec {
        CommandSpec(
            "man", "Print the manual page",
            details: [
                "To read it: syncserver man | man -l -. "
                    + "To install it: syncserver man > /usr/local/share/man/man1/syncserver.1."
            ]
        ) { _ in
            Terminal.print(ManualPage(CommandPath(program())).text)
            return 0
        }
    }
}
