package import PGMigrations
import PGStore
import Postgres
import StrictJSON
import SyncEngine
import SyncServer
package import WireFormats

/// A test that a migration has the same result as a fresh start with the present plan.
///
/// It fills two databases with the same changes of clients. One database first has the plan up to `version`, and is
/// then migrated to the present plan. The other has the present plan from the start. Afterwards readers of all versions
/// must receive the same records from both.
///
/// A migration may declare that it sends records again. Receiving these records once more is no difference.
package struct MigrationTrial {
    let plan: Plan
    /// The newest version before the migration, as an index in the plan's `schemas`.
    let version: Int
    /// The app's present migrations, with those of the server.
    let lines: [MigrationLine]
    /// The number of the app's migration files that create the tables of `version`, counted from the first file.
    let files: Int
    /// The migrations that are applied to the database that first has the older plan. They are the same as `lines`,
    /// unless a test tries others.
    let migrating: [MigrationLine]
    let seed: UInt64

    package init(
        _ plan: Plan, at version: Int, lines: [MigrationLine], files: Int, migrating: [MigrationLine]? = nil,
        seed: UInt64
    ) {
        self.plan = plan
        self.version = version
        self.lines = lines
        self.files = files
        self.migrating = migrating ?? lines
        self.seed = seed
    }

    /// The observations in one of the two databases: the verdicts on all changes, and the records that readers receive
    /// after the migration and after further edits.
    private struct Outcome {
        var verdicts: [[Verdict]] = []
        var atHead: [SpaceReading] = []
        var afterEdits: [SpaceReading] = []
        var numbers: SpaceNumbers
    }

    /// Runs the test, and returns a line for each difference between the two databases. Each line names the app, the
    /// versions, the entity and the attribute.
    package func differences() async throws -> [String] {
        var history = HistoryGenerator(plan, seed: seed)
        let filling = history.filling(by: version)
        let edits = history.edits(by: 0...plan.newest)
        let migrated = try await outcome(
            filling, edits, from: migrating.cut(plan.app, after: files), plan.cut(after: version))
        let straight = try await outcome(filling, edits, from: lines, plan)
        let label = "\(plan.app), filled at \(plan.schemas[version].version)"
        var found: [String] = []
        for (push, verdicts) in zip(migrated.verdicts, straight.verdicts).enumerated() {
            for (change, pair) in zip(verdicts.0, verdicts.1).enumerated()
            where !Self.agree(pair.0, pair.1, atOneHub: push >= filling.count) {
                found.append(
                    "\(label): change \(change) of push \(push) is \(pair.0) in the migrated database, "
                        + "\(pair.1) at the head"
                )
            }
        }
        for (moment, pairs) in [
            ("", zip(migrated.atHead, straight.atHead)),
            (", then edited", zip(migrated.afterEdits, straight.afterEdits)),
        ] {
            for (a, b) in pairs { found += a.differences(from: b).map { "\(label)\(moment): \($0)" } }
        }
        return found
    }

    /// Returns true if a change's verdicts in both databases are compatible.
    ///
    /// Equal verdicts are compatible. The older server may also answer `unchanged` where the newer one answers
    /// `applied`: the change may set only columns that the older server does not have.
    ///
    /// - Parameters:
    ///   - older: the verdict in the database that was migrated.
    ///   - newer: the verdict in the other database.
    ///   - atOneHub: true if the change was sent after the migration, when both servers had the present plan. Then the
    ///     verdicts must be equal.
    private static func agree(_ older: Verdict, _ newer: Verdict, atOneHub: Bool) -> Bool {
        older == newer || !atOneHub && older == .unchanged && newer == .applied
    }

    private func outcome(
        _ filling: [HistoryGenerator.Push], _ edits: [HistoryGenerator.Push], from start: [MigrationLine],
        _ served: Plan
    ) async throws -> Outcome {
        let head = start == lines ? lines : migrating
        return try await withTestDatabase(migrated: start) { database in
            var outcome = Outcome(numbers: SpaceNumbers(republished: republished))
            var before: [SpaceReading] = []
            try await database.withEngine(served, start) { engine in
                try await push(filling, to: engine, &outcome)
                before = try await readings(of: engine, outcome.numbers)
            }
            try await Migrator(database.connectionString, lines: head).up(contracts: .run)
            try await database.withEngine(plan, head) { engine in
                let now = try await SpaceReading(of: Self.space, at: plan.newest, by: engine, outcome.numbers).head
                outcome.numbers.migrations(endedWith: now, after: before)
                outcome.atHead = try await readings(of: engine, outcome.numbers)
                try await push(edits, to: engine, &outcome)
                outcome.afterEdits = try await readings(of: engine, outcome.numbers)
            }
            return outcome
        }
    }

    private static let (space, device) = (ID(high: 0x5face, low: 1), ID(high: 0xde71ce, low: 1))

    private func push(
        _ pushes: [HistoryGenerator.Push], to engine: SyncEngine, _ outcome: inout Outcome
    ) async throws {
        for push in pushes {
            let caller = SyncEngine.Caller(space: Self.space, version: push.version, device: Self.device)
            let changes = try JSONDocument(parsing: push.changes).root
            let result = try await engine.push(changes, cursor: nil, as: caller)
            outcome.verdicts.append(result.verdicts)
            outcome.numbers.push(endedWith: result.head)
        }
    }

    private func readings(of engine: SyncEngine, _ numbers: SpaceNumbers) async throws -> [SpaceReading] {
        var readings: [SpaceReading] = []
        for version in engine.plan.schemas.indices {
            readings.append(try await SpaceReading(of: Self.space, at: version, by: engine, numbers))
        }
        return readings
    }

    /// The tables whose records are sent to devices again, as a migration declares.
    private var republished: Set<String> {
        let line = migrating.first { $0.name == plan.app }
        let names = line?.files.dropFirst(files).flatMap(\.steps).flatMap { step -> [String] in
            if case .republish(let entities) = step.effect { entities } else { [] }
        }
        let projections = plan.projections.joined().compactMap { $0 }
        return Set(
            (names ?? []).flatMap { name in
                projections.filter { $0.name == name }.map { plan.hub.entities[$0.entity].table }
            })
    }
}

extension TestDatabase {
    /// Calls `body` with an engine that is started as `syncserver serve` would do: only if migrations, plan and
    /// database agree.
    fileprivate func withEngine(
        _ plan: Plan, _ lines: [MigrationLine], _ body: (SyncEngine) async throws -> Void
    ) async throws {
        let presence = try await ServerRegistration.announce(connectionString, lines)
        await presence.end()
        let pool = try await RunningServer.openPool(
            for: [plan], lines: lines, database: connectionString,
            limits: PoolLimits(sessionsMax: 1, waitMax: .seconds(300)))
        do {
            let engine = SyncEngine(
                plan: plan, databases: Databases(directory: pool), level: lines.level(of: plan.app),
                claiming: lines.claimedLevel(of: plan.app))
            try await body(engine)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }
}
