package import Postgres

/// The locks by which servers announce their level in each line: the number of the last migration that they know. Each
/// server holds a shared lock on its level for as long as it serves, on a session of its own. A contract step that
/// removes objects which lower levels need takes the locks of those levels exclusively.
package enum ServingLevel {
    private static let key = "hashtextextended('syncserver level ' || $1 || '/' || level, 0)"

    /// Returns a sentence with the levels of the servers for which a contract step has to wait.
    static func obstacle(_ levels: [Int], of line: String) -> String {
        "Servers are at work that end with \(line)/\(levels.map(String.init).joined(separator: ", "))"
    }

    /// Takes the shared lock by which a server announces its level.
    ///
    /// - Returns: true if the lock is taken; false while a contract step runs that removes what such a server needs.
    package static func announce(_ level: Int, of line: String, _ session: isolated Session) throws(PGError) -> Bool {
        let statement = Statement(
            unchecked: "SELECT pg_try_advisory_lock_shared(\(key)) FROM CAST($2::bigint AS text) AS level")
        return try session.execute(Command(statement, [.text(line), .int(Int64(level))])).bool(0, 0)
    }

    /// Returns the levels below `level` at which a server is at work. Takes no lock, so another server may start at
    /// such a level at any moment.
    package static func present(below level: Int, of line: String, _ session: isolated Session) throws(PGError) -> [Int]
    {
        let statement = Statement(
            unchecked: """
                SELECT level::integer FROM generate_series(0, $2::bigint - 1) AS number, CAST(number AS text) AS level
                WHERE EXISTS (
                    SELECT FROM pg_locks
                    WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND mode = 'ShareLock'
                        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND (classid::bigint << 32) | objid::bigint = \(key))
                ORDER BY number
                """)
        let rows = try session.execute(Command(statement, [.text(line), .int(Int64(level))]))
        return (0..<rows.count).map { Int(rows.int($0, 0)) }
    }

    /// Returns the logins, quoted as in SQL, of the servers at work that have one of these lines, also of servers of
    /// the next few releases, whose lines have more files.
    static func logins(of lines: [MigrationLine], _ session: isolated Session) throws(PGError) -> [String] {
        let statement = Statement(
            unchecked: """
                SELECT DISTINCT quote_ident(activity.usename)
                FROM unnest($1::text[], $2::bigint[]) AS line (name, level)
                    CROSS JOIN LATERAL generate_series(0, line.level + \(levelsAhead)) AS number
                    JOIN pg_locks AS lock ON lock.locktype = 'advisory' AND lock.granted AND lock.objsubid = 1
                        AND lock.mode = 'ShareLock'
                        AND lock.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                        AND (lock.classid::bigint << 32) | lock.objid::bigint =
                            hashtextextended('syncserver level ' || line.name || '/' || number, 0)
                    JOIN pg_stat_activity AS activity USING (pid)
                WHERE activity.usename IS NOT NULL
                """)
        let rows = try session.execute(
            Command(statement, [.texts(lines.map(\.name)), .ints(lines.map { Int64($0.level) })]))
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    private static let levelsAhead = 20

    /// Takes the exclusive locks of all levels below `level`, except those that servers at work hold.
    ///
    /// - Returns: the levels at which a server is at work.
    static func exclude(below level: Int, of line: String, _ session: isolated Session) throws(PGError) -> [Int] {
        let statement = Statement(
            unchecked: """
                SELECT level::integer FROM generate_series(0, $2::bigint - 1) AS number, CAST(number AS text) AS level
                WHERE NOT pg_try_advisory_lock(\(key)) ORDER BY number
                """)
        let rows = try session.execute(Command(statement, [.text(line), .int(Int64(level))]))
        return (0..<rows.count).map { Int(rows.int($0, 0)) }
    }

    /// Releases the locks that `exclude` took on this session.
    static func readmit(below level: Int, of line: String, _ session: isolated Session) throws(PGError) {
        let statement = Statement(
            unchecked: """
                SELECT pg_advisory_unlock(\(key)) FROM generate_series(0, $2::bigint - 1) AS number,
                    CAST(number AS text) AS level
                WHERE EXISTS (
                    SELECT FROM pg_locks
                    WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND objsubid = 1 AND mode = 'ExclusiveLock'
                        AND (classid::bigint << 32) | objid::bigint = \(key))
                """)
        try session.execute(Command(statement, [.text(line), .int(Int64(level))]))
    }
}
