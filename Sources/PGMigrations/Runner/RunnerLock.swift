package import Postgres

/// The lock that prevents two migration runs at the same time. It is a session-level advisory lock in a session of its
/// own, which stays outside any transaction.
///
/// The lock is taken by repeated calls of `pg_try_advisory_lock`. A session that waits in `pg_advisory_lock` would hold
/// a snapshot, and `CREATE INDEX CONCURRENTLY` in the other run would wait for that snapshot. The resulting deadlock
/// leaves an invalid index behind.
package enum RunnerLock {
    /// The SQL expression for the advisory lock's key, which is derived from the OID of the database.
    private static let key =
        "hashtextextended('syncserver', (SELECT oid::bigint FROM pg_database "
        + "WHERE datname = current_database()))"

    private static let tryStatement = Statement(unchecked: "SELECT pg_try_advisory_lock(\(key))")

    /// A query for the processes that hold the lock against other migration runs. `pg_locks` shows a `bigint` key as
    /// two halves, with `objsubid` 1 (PostgreSQL manual, chapter 54.12).
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

    /// Takes the lock that prevents other migration runs, and returns true if it was free. The lock is released when
    /// the session closes.
    package static func take(_ session: isolated Session) throws(PGError) -> Bool {
        try session.execute(Command(tryStatement)).bool(0, 0)
    }

    /// Returns the process IDs of the PostgreSQL processes whose sessions hold the lock against other migration runs.
    static func holders(_ session: isolated Session) throws(PGError) -> [Int] {
        let rows = try session.execute(Command(holdersStatement))
        return (0..<rows.count).map { Int(rows.int($0, 0)) }
    }
}
