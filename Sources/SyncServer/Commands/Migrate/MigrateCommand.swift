import PGMigrations
import PGStore
import WireFormats

/// `syncserver migrate`: ordered SQL files, for a database that serves while it changes.
struct MigrateCommand {
    static let usage = """
        syncserver migrate up [--to LINE/N] [--contract] [--no-backfill]
                                               run what is pending; without --contract nothing that servers of
                                               before need is taken away; with --no-backfill nothing that takes
                                               long; Ctrl-C stops after a batch, and the next run goes on
        syncserver migrate backfill [--to LINE/N]
                                               run what --no-backfill has left, beside traffic; exits with 3 if
                                               a backfill waits for something that up is to run first
        syncserver migrate plan [--to LINE/N] [--contract]
                                               what up would do: locks, sizes, what devices are sent, what
                                               contracts wait for; changes nothing, exits with 1 at the
                                               linter's errors
        syncserver migrate rehearse [--to LINE/N] [--contract]
                                               does what up would do in a copy of the database, which is dropped
                                               afterwards: how long each step takes and for how long pushes
                                               would wait; exits with 1 if it would not go through
        syncserver migrate doctor              what is not as it should be in the database and its server, and what
                                               mends it; changes nothing, exits with 1 at errors
        syncserver migrate status              how every file stands; exits with 1 if any is to be run or failed,
                                               with 3 if only contract steps are left
        syncserver migrate verify              ask again what verify steps ask
        syncserver migrate resolve LINE/N --as applied|pending --because TEXT
                                               records what was done, or undone, by hand; never during a run
        syncserver migrate baseline LINE/N     writes the ledger of a line whose tables are there without
                                               one, if they are what its files make; else lists what is not,
                                               and exits with 1

          --database URL      the database (DATABASE_URL); without it, the private cluster in .syncserver/postgres
          --migrations PATH   the folder of migration files
          --share PERCENT     up, backfill, rehearse: what part of its time a backfill works; 50
          --json              for machines

        \(LintCommand.usage)

        \(NewMigrationCommand.usage)
        """

    /// What only steps that must wait keep from being 0.
    static let somethingWaits: Int32 = 3

    /// Those that are about one migration.
    private static let ofOne: Set<String> = ["resolve", "baseline"]
    private static let actions = ofOne.union([
        "up", "backfill", "plan", "rehearse", "doctor", "status", "verify",
    ])

    let options: Options
    let migrator: Migrator
    let lines: [MigrationLine]
    let plans: [Plan]
    let database: Environment.Database

    static func run(_ words: [String]) async throws -> Int32 {
        if words.first == "lint" { return try LintCommand.run(Array(words.dropFirst())) }
        if words.first == "new" { return try NewMigrationCommand.run(Array(words.dropFirst())) }
        let options = try Options(
            words, taking: ["database", "migrations", "to", "share", "as", "because"],
            flags: ["json", "contract", "no-backfill"])
        guard let action = options.positional.first, actions.contains(action),
            options.positional.count == (ofOne.contains(action) ? 2 : 1)
        else { throw UsageError(usage) }
        let plans = try Environment.plans()
        let lines = try Environment.migrations(options, for: plans)
        let limits = try limits(options)
        // From here on a signal must leave neither a copy nor the cluster behind.
        let signals = action == "rehearse" ? StopSignals() : nil
        let database = try await Environment.database(options)
        let result: Result<Int32, any Error>
        do {
            let migrator = Migrator(database.string, lines: lines, limits: limits)
            let command = MigrateCommand(
                options: options, migrator: migrator, lines: lines, plans: plans, database: database)
            switch action {
            case "rehearse": result = .success(try await command.rehearse(until: signals ?? StopSignals()))
            case "doctor": result = .success(try await command.doctor())
            case "up": result = .success(try await command.up())
            case "backfill": result = .success(try await command.backfill())
            case "plan": result = .success(try await command.plan())
            case "resolve": result = .success(try await command.resolve())
            case "baseline": result = .success(try await command.baseline())
            case "verify": result = .success(try await command.verify())
            default: result = .success(try await command.status())
            }
        } catch {
            result = .failure(error)
        }
        try await database.leave()
        return try result.get()
    }

    var asJSON: Bool { options.has("json") }

    private static func limits(_ options: Options) throws(UsageError) -> MigratorLimits {
        var limits = MigratorLimits()
        if let percent = try options.integer("share", atLeast: 1) {
            guard percent <= 100 else { throw UsageError("‘--share’ takes 1 to 100.") }
            limits.backfillShare = Double(percent) / 100
        }
        return limits
    }

    /// `LINE/N`
    static func target(_ text: String) throws(UsageError) -> MigrationID {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let number = Int(parts[1]) else {
            throw UsageError("A migration is named by its line and number, such as fitiq/7.")
        }
        return MigrationID(line: String(parts[0]), number: number)
    }

    private func verify() async throws -> Int32 {
        let progress = MigrationProgress(isSilent: asJSON)
        try await migrator.verify(report: progress.take)
        Terminal.print(asJSON ? #"{"verified": true}"# : "Everything holds.")
        return 0
    }
}
