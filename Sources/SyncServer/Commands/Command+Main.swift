public import Apps
import PGStore
public import WireFormats

/// The program: finds the command that the first word names, and turns what it throws into an exit status.
///
/// 0: done. 1: it could not be done, or what was checked is not in order. 2: the command line was not understood.
public enum SyncServerProgram {
    /// Runs the command that `arguments`, after the program's own name, ask for.
    ///
    /// - Parameter apps: what is served. An executable of your own passes its own plans.
    public static func main(
        _ arguments: [String], apps: [any SchemaMigrationPlan.Type] = Apps.all
    ) async -> Int32 {
        await Environment.$apps.withValue(apps) { await run(Array(arguments.dropFirst())) }
    }

    private static func run(_ words: [String]) async -> Int32 {
        do {
            guard let word = words.first, !helpWords.contains(word) else {
                let command = words.dropFirst().first.flatMap { name in commands.first { $0.name == name } }
                Terminal.print(command?.usage ?? usage)
                return words.isEmpty ? 2 : 0
            }
            guard let command = commands.first(where: { $0.name == word }) else {
                throw UsageError("There is no command ‘\(word)’.\n\n\(usage)")
            }
            let rest = Array(words.dropFirst())
            if rest.contains(where: ["--help", "-h"].contains) {
                Terminal.print(command.usage)
                return 0
            }
            return try await command.run(rest)
        } catch let error as UsageError {
            Terminal.note(error.description)
            return 2
        } catch {
            Terminal.note("syncserver: \(explanation(of: error))")
            return 1
        }
    }

    private static func explanation(of error: any Error) -> String {
        switch error {
        case let error as PGError: "\(error.debugDescription)"
        default: "\(error)"
        }
    }

    private struct Command: Sendable {
        let name: String
        let usage: String
        let run: @Sendable ([String]) async throws -> Int32
    }

    private static let helpWords = ["help", "--help", "-h"]

    private static let commands = [
        Command(name: "serve", usage: ServeCommand.usage, run: ServeCommand.run),
        Command(name: "migrate", usage: MigrateCommand.usage, run: MigrateCommand.run),
        Command(name: "compat", usage: CompatCommand.usage, run: CompatCommand.run),
        Command(name: "schema", usage: SchemaCommand.usage, run: SchemaCommand.run),
        Command(name: "gc", usage: CollectCommand.usage, run: CollectCommand.run),
        Command(name: "census", usage: CensusCommand.usage, run: CensusCommand.run),
        Command(name: "epoch", usage: EpochCommand.usage, run: EpochCommand.run),
        Command(name: "quarantine", usage: QuarantineCommand.usage, run: QuarantineCommand.run),
        Command(name: "token", usage: TokenCommand.usage, run: TokenCommand.run),
        Command(name: "export", usage: ExportCommand.usage, run: ExportCommand.run),
        Command(name: "import", usage: ImportCommand.usage, run: ImportCommand.run),
    ]

    private static let usage =
        (["syncserver: a sync server for apps whose users run many versions at once."] + commands.map(\.usage))
        .joined(separator: "\n\n")
}
