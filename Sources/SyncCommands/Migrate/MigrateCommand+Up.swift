import PGMigrations
import StrictJSON

extension MigrateCommand {
    /// Runs all pending migrations, or with ‘--no-backfill’ only the quick steps before backfills.
    func up() async throws -> Int32 {
        let withContracts = options.has("contract")
        let run = try await run(options.has("no-backfill") ? .beforeBackfills : .everything)
        show(run, nothing: "Nothing was pending.")
        return withContracts && !run.held.isEmpty ? MigrateCommand.somethingWaits : 0
    }

    /// Runs the pending backfills, which take long.
    func backfill() async throws -> Int32 {
        let run = try await run(.onlyBackfills)
        show(run, nothing: "No backfill is pending.")
        return run.held.isEmpty ? 0 : MigrateCommand.somethingWaits
    }

    /// Runs migrations until all are done, or until a signal asks to stop.
    private func run(_ scope: RunScope) async throws -> MigrationRun {
        let target = try options["to"].map { text throws(UsageError) in try MigrateCommand.target(text) }
        let contracts: ContractPolicy = options.has("contract") ? .run : .hold
        let progress = MigrationProgress(isSilent: asJSON)
        let gate = ContractGate(plans: plans)
        return try await StopSignals().cancelling { [migrator] in
            try await migrator.up(
                to: target, contracts: contracts, scope: scope, gate: gate.obstacle, report: progress.take)
        }
    }

    private func show(_ run: MigrationRun, nothing: String) {
        if asJSON {
            Terminal.print(MigrateCommand.json(run))
            return
        }
        if !run.applied.isEmpty {
            Terminal.print("Applied \(run.applied.count) migrations.")
        } else if run.held.isEmpty {
            Terminal.print(nothing)
        }
        // Of several steps of a file, the first gives the reason.
        var files: Set<String> = []
        for held in run.held where files.insert(held.step.path).inserted {
            Terminal.print("Left: \(held.step). \(held.reason)".wrapped())
        }
    }

    private static func json(_ run: MigrationRun) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("applied")
        writer.beginArray()
        for path in run.applied { writer.string(path) }
        writer.endArray()
        writer.key("held")
        writer.beginArray()
        for held in run.held {
            writer.beginObject()
            writer.member("migration", held.step.path)
            writer.member("reason", held.reason)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
