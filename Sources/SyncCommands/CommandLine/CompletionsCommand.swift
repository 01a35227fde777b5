import WireFormats

/// `syncserver completions`: prints a script that lets a shell complete the program's command lines.
enum CompletionsCommand {
    /// - Parameter program: the commands from which the script is generated, this command included.
    static func spec(_ program: @escaping @Sendable () -> CommandSpec) -> CommandSpec {
        CommandSpec(
            "completions", "Print a script with which a shell completes command lines",
            details: [
                "bash: syncserver completions bash > /usr/share/bash-completion/completions/syncserver. "
                    + "zsh: syncserver completions zsh > _syncserver, in a folder of ‘fpath’. "
                    + "fish: syncserver completions fish > ~/.config/fish/completions/syncserver.fish.",
                "The script has the names of the apps in it. Print it again after an update.",
            ],
            arguments: [
                ArgumentSpec(
                    "SHELL", "bash, zsh or fish", kind: .words(CompletionScript.Shell.allCases.map(\.rawValue)))
            ]
        ) { options in
            guard let shell = CompletionScript.Shell(rawValue: options.positional[0]) else {
                throw UsageError("There are completions for bash, zsh and fish, not for ‘\(options.positional[0])’.")
            }
            let script = CompletionScript(CommandPath(program()), apps: Environment.apps.map { $0.app })
            Terminal.print(script.text(for: shell))
            return 0
        }
    }
}
