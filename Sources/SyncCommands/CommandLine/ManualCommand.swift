/// `syncserver man`: prints the manual page.
enum ManualCommand {
    /// - Parameter program: returns the specification of the whole program, from which the manual page is generated.
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
