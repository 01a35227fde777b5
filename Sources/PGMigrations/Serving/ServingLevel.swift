package import Postgres

/// The advisory locks by which running servers announce their levels. A server's level in a line of migrations is the
/// number of the last migration that it knows.
///
/// Each server holds a shared lock on its level for as long as it serves, in a session of its own. A contract step that
/// removes objects takes exclusive locks on the levels of the servers that need these objects.
package enum ServingLevel {
    private static let key = "hashtextextended('syncserver level ' || $1 || '/' || level, 0)"

    /// Returns a sentence that names the levels of the running servers for which a contract step has to wait.
    static func obstacle(_ levels: [Int], of line: String) -> String {
        "Servers are at work that end with \(line)/\(levels.map(String.init).joined(separator: ", "))"
    }

    /// Takes the shared lock by which a server announces its level, the number of the last migration that it knows.
    ///
    /// - Returns: true if the lock is taken. False while a contract step runs that removes objects which a server of
    ///   this level needs.
    package static func announce(_ level: Int, of line: String, _ session: isolated Session) throws(PGError) -> Bool {
        let statement = Statement(
            unchecked: "SELECT pg_try_advisory_lock_shared(\(key)) FROM CAST($2::bigint AS text) AS level")
        return try session.execute(Command(statement, [.text(line), .int(Int64(level))])).bool(0, 0)
    }

    /// Returns the levels below `level` at which a server is running. A level is the number of the last migration that
    /// a server knows. No lock is taken, so another server may start at such a level at any moment.
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

    /// Returns the logins (quoted as in SQL) of the running servers whose release knows one of these migration lines.
    /// This includes servers of a few newer releases than this program's, which know more files of a line.
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

    /// Takes exclusive locks on the levels below `level`, so that no server can start at them. A level is the number of
    /// the last migration that a server knows. Levels at which a server is already running are left out.
    ///
    /// - Returns: the levels at which a server is running.
    static func exclude(below level: Int, of line: String, _ session: isolated Session) throws(PGError) -> [Int] {
        let statement = Statement(
            unchecked: """
                SELECT level::integer FROM generate_series(0, $2::bigint - 1) AS number, CAST(number AS text) AS level
                WHERE NOT pg_try_advisory_lock(\(key)) ORDER BY number
                """)
        let rows = try session.execute(Command(statement, [.text(line), .int(Int64(level))]))
        return (0..<rows.count).map { Int(rows.int($0, 0)) }
    }

    /// Releases the locks that `exclude` has taken in this session.
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
