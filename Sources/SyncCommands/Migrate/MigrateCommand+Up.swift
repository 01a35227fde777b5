import PGMigrations
import StrictJSON

extension MigrateCommand {
    /// Runs all pending migrations. With ‘--no-backfill’, only the quick steps before the first backfills are run.
    func up() async throws -> Int32 {
        let withContracts = options.has("contract")
        let outcome = try await run(options.has("no-backfill") ? .beforeBackfills : .everything)
        show(outcome, nothing: "Nothing was pending.")
        return withContracts && !outcome.left.isEmpty ? MigrateCommand.somethingWaits : 0
    }

    /// Runs the pending backfills, which may take long.
    func backfill() async throws -> Int32 {
        let outcome = try await run(.onlyBackfills)
        show(outcome, nothing: "No backfill is pending.")
        return outcome.left.isEmpty ? 0 : MigrateCommand.somethingWaits
    }

    /// Runs migrations until all are done, or until a signal asks to stop.
    private func run(_ scope: RunScope) async throws -> MigrationOutcome {
        let target = try options["to"].map { text throws(UsageError) in try MigrateCommand.target(text) }
        let contracts: ContractPolicy = options.has("contract") ? .run : .hold
        let progress = MigrationProgress(isSilent: asJSON)
        let gate = ContractGate(plans: plans, directory: directory)
        return try await StopSignals().cancelling { [migrator] in
            try await migrator.up(
                to: target, contracts: contracts, scope: scope, gate: gate.obstacle, report: progress.take)
        }
    }

    private func show(_ outcome: MigrationOutcome, nothing: String) {
        if asJSON {
            Terminal.print(MigrateCommand.json(outcome))
            return
        }
        if !outcome.applied.isEmpty {
            Terminal.print("Applied \(outcome.applied.count) migrations.")
        } else if outcome.left.isEmpty {
            Terminal.print(nothing)
        }
        // Of several steps of a file, the first gives the reason.
        var files: Set<String> = []
        for left in outcome.left where files.insert(left.step.path).inserted {
            Terminal.print("Left: \(left.step). \(left.reason)".wrapped())
        }
    }

    private static func json(_ outcome: MigrationOutcome) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("applied")
        writer.beginArray()
        for path in outcome.applied { writer.string(path) }
        writer.endArray()
        writer.key("held")
        writer.beginArray()
        for left in outcome.left {
            writer.beginObject()
            writer.member("migration", left.step.path)
            writer.member("reason", left.reason)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
