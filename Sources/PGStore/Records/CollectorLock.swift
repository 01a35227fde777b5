package import Postgres

/// The lock that keeps collections of tombstones apart: a session-level advisory lock of the database, which is never
/// waited for.
package enum CollectorLock {
    /// Derived from the database, as the migrations' is.
    private static let key =
        "hashtextextended('syncserver gc', (SELECT oid::bigint FROM pg_database WHERE datname = current_database()))"

    /// Takes the lock if it is free.
    package static func take(_ session: isolated Session) throws(PGError) -> Bool {
        try session.execute(Command(Statement(unchecked: "SELECT pg_try_advisory_lock(\(key))"))).bool(0, 0)
    }

    /// Lets it go. A session that ends does so by itself.
    package static func release(_ session: isolated Session) throws(PGError) {
        try session.execute(Command(Statement(unchecked: "SELECT pg_advisory_unlock(\(key))")))
    }
}
