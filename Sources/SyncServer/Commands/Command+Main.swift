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
            switch words.first {
            case "serve": return try await ServeCommand.run(Array(words.dropFirst()))
            case "migrate": return try await MigrateCommand.run(Array(words.dropFirst()))
            case "compat": return try await CompatCommand.run(Array(words.dropFirst()))
            case "schema": return try await SchemaCommand.run(Array(words.dropFirst()))
            case "export": return try await ExportCommand.run(Array(words.dropFirst()))
            case "import": return try await ImportCommand.run(Array(words.dropFirst()))
            case "gc": return try await CollectCommand.run(Array(words.dropFirst()))
            case "census": return try await CensusCommand.run(Array(words.dropFirst()))
            case "epoch": return try await EpochCommand.run(Array(words.dropFirst()))
            case "quarantine": return try await QuarantineCommand.run(Array(words.dropFirst()))
            case "token": return try await TokenCommand.run(Array(words.dropFirst()))
            case nil, "help", "--help", "-h":
                Terminal.print(usage)
                return words.isEmpty ? 2 : 0
            case .some(let word):
                throw UsageError("There is no command ‘\(word)’.\n\n\(usage)")
            }
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

    private static let usage = """
        syncserver: a sync server for apps whose users run many versions at once.

        \(ServeCommand.usage)

        \(MigrateCommand.usage)

        \(CompatCommand.usage)

        \(SchemaCommand.usage)

        \(CollectCommand.usage)

        \(CensusCommand.usage)

        \(EpochCommand.usage)

        \(QuarantineCommand.usage)

        \(TokenCommand.usage)

        \(ExportCommand.usage)

        \(ImportCommand.usage)
        """
}
