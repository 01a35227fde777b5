package import Postgres

/// The lock that allows only one collection of tombstones at a time: a session-level advisory lock of the database. If
/// the lock is taken, nobody waits for it.
package enum CollectorLock {
    private static let key =
        "hashtextextended('syncserver gc', (SELECT oid::bigint FROM pg_database WHERE datname = current_database()))"

    /// Takes the collector's lock if it is free. Returns true if it was free.
    package static func take(_ session: isolated Session) throws(PGError) -> Bool {
        try session.execute(Command(Statement(unchecked: "SELECT pg_try_advisory_lock(\(key))"))).bool(0, 0)
    }

    /// Releases the collector's lock. PostgreSQL also releases it when the session ends.
    package static func release(_ session: isolated Session) throws(PGError) {
        try session.execute(Command(Statement(unchecked: "SELECT pg_advisory_unlock(\(key))")))
    }
}
