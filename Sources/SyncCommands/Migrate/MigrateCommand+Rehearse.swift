import PGMigrations
import Postgres
import SyncServer
import WireFormats

extension MigrateCommand {
    /// The number of test cases for the lens laws (the rules for conversions between versions), for each entity of each
    /// version. It is small to keep a rehearsal short; `schema check` tests more.
    private static let lawCases = 5

    /// Runs the pending migrations in a copy of the database, to find out whether `up` would succeed.
    func rehearse(until signals: StopSignals) async throws -> Int32 {
        let target = try options["to"].map { text throws(UsageError) in try MigrateCommand.target(text) }
        let rehearsal = try await signals.cancelling(saying: "Dropping the copy; once more stops at once.") {
            try await tryInCopy(to: target)
        }
        var laws: [LawReport] = []
        if target == nil, rehearsal.failure == nil, rehearsal.bytes > 0 || !rehearsal.steps.isEmpty {
            for plan in plans {
                laws.append(await Laws.check(plan, cases: Self.lawCases, seed: .random(in: 1...UInt64(Int64.max))))
            }
        }
        let report = RehearsalReport(rehearsal: rehearsal, isPartial: target != nil, laws: laws)
        Terminal.print(asJSON ? report.json : report.text)
        return report.wouldGoThrough ? 0 : 1
    }

    private func tryInCopy(to target: MigrationID?) async throws(MigrationError) -> MigrationRehearsal {
        try await migrator.rehearse(
            to: target, contracts: options.has("contract") ? .run : .hold, schemas: schemas,
            bytesFree: database.cluster?.bytesFree, hubs: plans.map(\.hub), check: { await obstacleToServing($0) },
            report: MigrationProgress(isSilent: asJSON).take)
    }

    /// The names of the PostgreSQL schemas that contain the tables of the server and of all apps.
    var schemas: [String] { [MigrationLine.serverLineName] + plans.map(\.hub.schema) }

    /// Returns the reason why a server of this release would not start on the database; `nil` if it would.
    private func obstacleToServing(_ database: ConnectionString) async -> String? {
        do {
            let presence = try await ServerRegistration.announce(database, lines)
            do {
                let pool = try await RunningServer.openPool(
                    for: plans, lines: lines, database: database, rollouts: presence.rollouts,
                    limits: PoolLimits(sessionsMax: 1))
                await pool.close()
            } catch {
                await presence.end()
                throw error
            }
            await presence.end()
            return nil
        } catch let error as PGError {
            return error.debugDescription
        } catch {
            return "\(error)"
        }
    }
}
