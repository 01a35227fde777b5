import Operations
import PGMigrations
import PGStore
import Postgres
import StrictJSON
import WireFormats

/// `syncserver migrate`: runs SQL files in their order on a database, while servers continue to use it.
struct MigrateCommand {
    static let spec = CommandSpec(
        "migrate", "Migrate a database while it is served, from ordered SQL files",
        details: ["A migration is named by its line and number, such as fitiq/7. See docs/migrations.md."],
        subcommands: [
            CommandSpec(
                "up", "Run what is pending",
                details: [
                    "Ctrl-C stops after the batch or statement at work, and the next run goes on there. With "
                        + "--contract it exits with 3 if a contract step must wait."
                ],
                options: [target, contract]
                    + [
                        .flag("no-backfill", "leave out what takes long, for ‘migrate backfill’"), share, .database,
                        .migrations, .json,
                    ]
            ) { try await run($0, everywhere: true) { try await $0.up() } },
            CommandSpec(
                "backfill", "Run what ‘up --no-backfill’ left out, beside traffic",
                details: ["Exits with 3 if a backfill waits for something that ‘up’ must run first."],
                options: [target, share, .database, .migrations, .json]
            ) { try await run($0, everywhere: true) { try await $0.backfill() } },
            CommandSpec(
                "plan", "Say what ‘up’ would do: locks, sizes, what devices are sent, what contracts wait for",
                details: ["Changes nothing. Exits with 1 if the linter finds errors."],
                options: [target, contract, .database, .migrations, .json]
            ) { try await run($0, everywhere: true) { try await $0.plan() } },
            CommandSpec(
                "rehearse", "Do what ‘up’ would do in a copy of the database, and measure it",
                details: [
                    "Says how long each step takes and for how long pushes would wait, and drops the copy. Exits with "
                        + "1 if it would not go through."
                ],
                options: [target, contract, share, .database, .migrations, .json]
            ) { options in
                // A signal must leave neither a copy nor the cluster behind.
                let signals = StopSignals()
                return try await run(options) { try await $0.rehearse(until: signals) }
            },
            CommandSpec(
                "doctor", "Say what is not in order in the database and its server, and what fixes it",
                details: ["Changes nothing. Exits with 1 at errors."], options: [.database, .migrations, .json]
            ) { try await run($0, everywhere: true) { try await $0.doctor() } },
            CommandSpec(
                "status", "Say which files have run",
                details: ["Exits with 1 if any must run or failed, with 3 if only contract steps are left."],
                options: [.database, .migrations, .json]
            ) { try await run($0, everywhere: true) { try await $0.status() } },
            CommandSpec(
                "verify", "Check once more what verify steps check", options: [.database, .migrations, .json]
            ) { try await run($0, everywhere: true) { try await $0.verify() } },
            CommandSpec(
                "resolve", "Record what was done or undone by hand; never during a run",
                arguments: [migration],
                options: [
                    .value(
                        "as", "STATE", "applied or pending", kind: .words(["applied", "pending"]), isRequired: true),
                    .value("because", "TEXT", "the reason, which ‘status’ shows", isRequired: true),
                    .database, .migrations, .json,
                ]
            ) { try await run($0) { try await $0.resolve() } },
            CommandSpec(
                "baseline", "Write the ledger of a line whose tables were made without one",
                details: ["If the tables are not what its files make, lists the differences and exits with 1."],
                arguments: [migration], options: [.database, .migrations, .json]
            ) { try await run($0) { try await $0.baseline() } },
            LintCommand.spec,
            NewMigrationCommand.spec,
        ])

    private static let target = OptionSpec.value("to", "LINE/N", "only as far as this migration")
    private static let contract = OptionSpec.flag(
        "contract", "also take away what only servers of earlier releases need")
    private static let share = OptionSpec.value(
        "share", "PERCENT", "what part of its time a backfill works", standard: "50")
    private static let migration = ArgumentSpec("LINE/N", "the migration, such as fitiq/7")

    /// The exit status if no step failed, but some steps were not run because a condition is not met yet.
    static let somethingWaits: Int32 = 3

    let options: Options
    let migrator: Migrator
    let lines: [MigrationLine]
    let plans: [Plan]
    let database: Environment.Database

    /// The directory, while another database of the installation is migrated; `nil` for the directory itself.
    var directory: ConnectionString?

    /// - Parameter everywhere: true to run the action for each database of the installation, the directory first. It
    ///   ends at the first error.
    private static func run(
        _ options: Options, everywhere: Bool = false, _ action: (MigrateCommand) async throws -> Int32
    ) async throws -> Int32 {
        let plans = try Environment.plans()
        let lines = try Environment.migrations(options, for: plans)
        let limits = try limits(options)
        let database = try await Environment.database(options)
        let result: Result<Int32, any Error>
        do {
            func run(_ string: ConnectionString, isDirectory: Bool) async throws -> Int32 {
                let migrator = Migrator(string, lines: lines, tables: RecordTables(plans), limits: limits)
                return try await action(
                    MigrateCommand(
                        options: options, migrator: migrator, lines: lines, plans: plans,
                        database: isDirectory ? database : .init(string: string, serving: string, cluster: nil),
                        directory: isDirectory ? nil : database.string))
            }
            let others = everywhere ? try await others(than: database.string) : []
            if !others.isEmpty { head(BucketMap.Entry.directoryName, options) }
            var status = try await run(database.string, isDirectory: true)
            for (name, string) in others {
                head(name, options)
                do {
                    status = max(status, try await run(string, isDirectory: false))
                } catch {
                    throw CommandError("In the database ‘\(name)’: \(error)")
                }
            }
            result = .success(status)
        } catch {
            result = .failure(error)
        }
        try await database.leave()
        return try result.get()
    }

    /// Returns the databases beside the directory. A database that does not answer is reported by the action.
    private static func others(
        than directory: ConnectionString
    ) async throws -> ArraySlice<(name: String, string: ConnectionString)> {
        do {
            return try await DatabaseGroup(directory: directory).addresses().dropFirst()
        } catch is PGError {
            return []
        }
    }

    /// Prints the name of the database of which the next lines tell. As JSON, there is an object for each database, in
    /// the order of ‘syncserver database list’.
    private static func head(_ name: String, _ options: Options) {
        if !options.has("json") { Terminal.print("\(name):") }
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

    /// Parses the name of a migration, `LINE/N`: the server or app, and the file's number.
    static func target(_ text: String) throws(UsageError) -> MigrationID {
        let parts = text.split(separator: "/")
        guard parts.count == 2, let number = Int(parts[1]) else {
            throw UsageError("A migration is named by its line and number, such as fitiq/7.")
        }
        return MigrationID(line: String(parts[0]), number: number)
    }

    private func verify() async throws -> Int32 {
        // If no file has run, there is nothing to verify.
        guard try await migrator.status().contains(where: \.isServable) else {
            throw CommandError(
                "No migration has run in this database, so there is nothing that could hold. Is it the right one? "
                    + "‘syncserver migrate up’ makes what is missing.")
        }
        let progress = MigrationProgress(isSilent: asJSON)
        try await migrator.verify(report: progress.take)
        let found = try await migrator.unsendableValues(of: plans.map(\.hub))
        if asJSON {
            Terminal.print(
                JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("verified", found.isEmpty)
                    writer.member("unsendable", found.map(\.description))
                    writer.endObject()
                })
        } else {
            let faults = found.map { "\($0.description).\n    \($0.remedy)" }
            Terminal.print(found.isEmpty ? "Everything holds." : faults.joined(separator: "\n"))
        }
        return found.isEmpty ? 0 : 1
    }
}
