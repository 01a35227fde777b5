import Postgres

/// The lock that keeps migration runs apart: a session-level advisory lock on a session of its own, which stays outside
/// any transaction.
///
/// It is always taken by `pg_try_advisory_lock` and a pause. A session that *waits* in `pg_advisory_lock` holds a
/// snapshot, for which `CREATE INDEX CONCURRENTLY` waits in turn: a deadlock that leaves an invalid index behind.
enum RunnerLock {
    /// The lock's key, derived from the database, so that runs of two databases in a cluster never meet.
    private static let key =
        "hashtextextended('syncserver', (SELECT oid::bigint FROM pg_database "
        + "WHERE datname = current_database()))"

    private static let tryStatement = Statement(unchecked: "SELECT pg_try_advisory_lock(\(key))")

    /// Reads the processes that hold the lock. A bigint key is shown in `pg_locks` as two halves with `objsubid` 1
    /// (manual, chapter 54.12).
    private static let holdersStatement = Statement(
        unchecked: """
            SELECT pid
            FROM pg_locks
            WHERE locktype = 'advisory'
              AND granted
              AND objsubid = 1
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND (classid::bigint << 32) | objid::bigint = \(key)
            """)

    /// Takes the lock if it is free. The lock is released when the session closes.
    static func take(_ session: isolated Session) throws(PGError) -> Bool {
        try session.execute(Command(tryStatement)).bool(0, 0)
    }

    /// Returns the process IDs of the server processes that hold the lock.
    static func holders(_ session: isolated Session) throws(PGError) -> [Int] {
        let rows = try session.execute(Command(holdersStatement))
        return (0..<rows.count).map { Int(rows.int($0, 0)) }
    }
}
