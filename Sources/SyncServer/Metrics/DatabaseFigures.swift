import PGStore
import Postgres
import SyncEngine
import Synchronization

/// The metrics that only the database knows: queried when metrics are read, and then kept for a while.
final class DatabaseFigures: Sendable {
    /// The database's quarantined changes, lock waits and unfinished migration steps, as last queried.
    struct Figures: Sendable {
        /// The number of changes in quarantine, by app.
        var held: [String: Int] = [:]
        /// The number of sessions in this database that wait for a lock.
        var lockWaits = 0
        /// Steps of migrations that were begun and are not done.
        var steps: [Step] = []
    }

    /// A step of a migration file.
    struct Step: Sendable {
        let line: String
        let number: Int
        let phase: String
        /// The state of the step: `failed` or `running`. A step also counts as running if the run that began it was
        /// interrupted.
        let state: String
        /// For a backfill, the rows processed so far and the approximate total.
        let rows: (done: Int, all: Int)
    }

    /// The number of devices that used a version in the last 30 days.
    struct Use: Sendable {
        let app: String
        let version: String
        let devices: Int
    }

    private let database: ConnectionString
    private let lifeline: Lifeline
    private let figures = Mutex(Remembered(value: Figures(), for: .seconds(15)))
    /// The number of devices of each version. It is queried more rarely than the other figures, because the query reads
    /// the whole census (the record of each device's version).
    private let uses = Mutex(Remembered<[Use]>(value: [], for: .seconds(300)))

    /// The maximum number of quarantined (held) changes that are counted. A larger quarantine is reported as this
    /// number.
    static let heldMax = 100_000
    /// The maximum number of migration steps, and of versions, that the metrics list.
    static let linesMax = 500

    init(_ database: ConnectionString, lifeline: Lifeline) {
        (self.database, self.lifeline) = (database, lifeline)
    }

    /// Runs `body` in a session that is not from the pool. If all sessions of the pool wait for a lock, the metrics
    /// must report that, and not wait with them.
    private func withSession<Value>(_ body: (Session) async throws -> Value) async throws -> Value {
        let session = try await Session.open(
            database, role: LoginRights.servingRoleName, settings: .serving, lifeline: lifeline)
        do {
            let value = try await body(session)
            await session.close()
            return value
        } catch {
            await session.close()
            throw error
        }
    }

    func figures(now: ContinuousClock.Instant = .now) async -> Figures {
        guard figures.withLock({ $0.isDue(at: now) }) else { return figures.withLock(\.value) }
        let asked = try? await withSession { session in
            (
                held: try await session.execute(DatabaseFigures.countingHeld),
                waits: try await session.execute(DatabaseFigures.countingLockWaits).number,
                steps: try await session.execute(DatabaseFigures.readingSteps)
            )
        }
        return figures.withLock { figures in
            guard let (held, waits, steps) = asked else { return figures.value }
            // Two names that PostgreSQL tells apart may be equal in Swift.
            figures.value.held = Dictionary(
                (0..<held.count).map { (held.string($0, 0), Int(held.int($0, 1))) }, uniquingKeysWith: +)
            figures.value.lockWaits = waits
            figures.value.steps = (0..<steps.count).map { row in
                Step(
                    line: steps.string(row, 0), number: Int(steps.int(row, 1)), phase: steps.string(row, 2),
                    state: steps.string(row, 3), rows: (Int(steps.int(row, 4)), Int(steps.int(row, 5))))
            }
            return figures.value
        }
    }

    func uses(now: ContinuousClock.Instant = .now) async -> [Use] {
        guard uses.withLock({ $0.isDue(at: now) }) else { return uses.withLock(\.value) }
        let rows = try? await withSession { session in try await session.execute(DatabaseFigures.countingDevices) }
        return uses.withLock { uses in
            if let rows {
                uses.value = (0..<rows.count).map {
                    Use(app: rows.string($0, 0), version: rows.string($0, 1), devices: Int(rows.int($0, 2)))
                }
            }
            return uses.value
        }
    }

    private static let countingHeld = Command(
        "SELECT app, count(*) FROM (SELECT app FROM sync.quarantine_directory LIMIT $1) AS held GROUP BY app",
        [.int(Int64(heldMax))])
    private static let countingLockWaits: Command = """
        SELECT count(DISTINCT pid) FROM pg_locks
        WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
    private static let readingSteps = Command(
        """
        SELECT line, number, phase, state, rows_done, rows_all FROM sync.migration_step
        WHERE state <> 'done' ORDER BY line, number, step LIMIT $1
        """, [.int(Int64(linesMax))])
    private static let countingDevices = Command(
        "SELECT app, version, devices FROM sync.count_devices($1)", [.int(Int64(linesMax))])
}

/// A query result that is reused for a fixed interval. While the query runs again, other readers get the previous
/// result.
private struct Remembered<Value: Sendable>: Sendable {
    var value: Value
    private let interval: Duration
    private var asked: ContinuousClock.Instant?

    init(value: Value, for interval: Duration) {
        (self.value, self.interval) = (value, interval)
    }

    /// Returns true if the result is too old, so that the caller must query again now. The time since the last query
    /// counts, even if that query failed.
    mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
        if let asked, now - asked < interval { return false }
        asked = now
        return true
    }
}
