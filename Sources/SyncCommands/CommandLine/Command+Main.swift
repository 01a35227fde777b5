import PGMigrations
import Postgres
import SyncEngine
import SyncServer
public import WireFormats

/// The program `syncserver`: finds the command that the first word names, runs it, and turns its errors into an exit
/// status.
///
/// Exit statuses are 0 for success, 1 if the command failed or a check found problems, and 2 if the command line was
/// not understood.
public enum SyncServerProgram {
    /// Runs the command named by `arguments`, the words after the program's own name. Help and errors call the program
    /// by its file name.
    ///
    /// - Parameter apps: the plans of the served apps.
    public static func main(
        _ arguments: [String], apps: [any SchemaMigrationPlan.Type]
    ) async -> Int32 {
        await main(arguments, apps: apps, commands: commands)
    }

    /// Runs a program that has the given commands, and also the commands `completions` and `man`, which every program
    /// has.
    ///
    /// - Parameters:
    ///   - arguments: the words of the command line after the program's own name.
    ///   - apps: the plans of the served apps.
    ///   - summary: the program's purpose, as one sentence of one line.
    package static func main(
        _ arguments: [String], apps: [any SchemaMigrationPlan.Type],
        summary: String = "A sync server for apps whose users run many versions at once", commands: [CommandSpec]
    ) async -> Int32 {
        Program.keepStatusesOfChildren()
        let name = Environment.$arguments.withValue(arguments) { Terminal.programName }
        let program = CommandSpec.program(name, summary, commands: commands)
        let status = await Environment.$apps.withValue(apps) {
            await Environment.$arguments.withValue(arguments) {
                await run(Array(arguments.dropFirst()), of: CommandPath(program))
            }
        }
        guard status == 0, let failure = Terminal.failure else { return status }
        Terminal.note("\(name): The result cannot be written to standard output: \(failure).")
        return 1
    }

    private static func run(_ words: [String], of program: CommandPath) async -> Int32 {
        do {
            if words.first == "--version" {
                Terminal.print(ProgramRelease.description(of: program.command.name))
                return 0
            }
            if words.first == "help" {
                Terminal.print(try helpText(program, words.dropFirst()))
                return 0
            }
            let (path, rest) = try program.resolve(words[...])
            if rest.prefix(while: { $0 != "--" }).contains(where: ["--help", "-h"].contains) {
                Terminal.print(HelpText(path: path).text)
                return 0
            }
            guard let action = path.command.run else {
                if let word = rest.first { throw Options.unknown(word, of: path) }
                Terminal.note(HelpText(path: path).text)
                return 2
            }
            return try await action(Options(rest, of: path))
        } catch let error as UsageError {
            Terminal.fail("\(program.command.name): \(error)".wrappedLines)
            return 2
        } catch {
            Terminal.fail("\(program.command.name): \(explanation(of: error))")
            return 1
        }
    }

    /// Returns the help text of the command that the words after `help` name, as in `help migrate plan`.
    private static func helpText(_ program: CommandPath, _ words: ArraySlice<String>) throws(UsageError) -> String {
        let (path, rest) = try program.resolve(words.filter { !$0.hasPrefix("-") }[...])
        if let word = rest.first { throw UsageError("‘\(path.words)’ has no command ‘\(word)’.") }
        return HelpText(path: path).text
    }

    /// Returns the text about an error that is shown to the user. It ends with the command to run next.
    static func explanation(of error: any Error) -> String {
        switch error {
        case let error as PGError where error.isMissingTable:
            "The database lacks tables that this needs. Run ‘syncserver migrate up’ first. PostgreSQL says: "
                + error.debugDescription
        case let error as PGError: error.debugDescription
        case let error as SyncError: error.advice ?? "\(error)"
        default: "\(error)"
        }
    }

    /// The commands of `syncserver`, in the order of its help.
    package static let commands = commands(withCompat: CompatLauncher.spec)

    /// Returns the commands of `syncserver`, in the order of its help.
    ///
    /// - Parameter compat: the specification of the command `compat`. Its action differs between two programs:
    ///   `syncserver` starts the program `syncserver-compat`, which executes the command itself.
    package static func commands(withCompat compat: CommandSpec) -> [CommandSpec] {
        [
            ServeCommand.spec, MigrateCommand.spec, SchemaCommand.spec, compat, CensusCommand.spec, VersionCommand.spec,
            TokenCommand.spec, IdentityCommand.spec, MemberCommand.spec, QuotaCommand.spec, EraseCommand.spec,
            AuditCommand.spec, DatabaseCommand.spec,
            ExportCommand.spec, ImportCommand.spec, CollectCommand.spec, QuarantineCommand.spec, EpochCommand.spec,
            ResetCommand.spec,
            CapacityCommand.spec, InitCommand.spec, DoctorCommand.spec,
        ]
    }
}
