package import Postgres

/// The lock that allows one collection of tombstones at a time: a session-level advisory lock of the database. Nobody
/// waits for it.
package enum CollectorLock {
    /// The key of the lock, derived from the database like that of the migrations' lock.
    private static let key =
        "hashtextextended('syncserver gc', (SELECT oid::bigint FROM pg_database WHERE datname = current_database()))"

    /// Takes the lock if it is free; returns true if it was.
    package static func take(_ session: isolated Session) throws(PGError) -> Bool {
        try session.execute(Command(Statement(unchecked: "SELECT pg_try_advisory_lock(\(key))"))).bool(0, 0)
    }

    /// Releases the lock. The end of a session releases it, too.
    package static func release(_ session: isolated Session) throws(PGError) {
        try session.execute(Command(Statement(unchecked: "SELECT pg_advisory_unlock(\(key))")))
    }
}
