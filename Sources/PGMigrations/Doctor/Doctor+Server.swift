import PGStore
package import Postgres

/// Findings about the PostgreSQL server and its settings.
extension Doctor {
    /// The settings that must not be off, each with the severity and a sentence on the consequence of its being off.
    private static let wanted: [(name: String, severity: Diagnosis.Severity, fault: String)] = [
        ("fsync", .error, "When the machine stops, the whole database may be lost."),
        ("full_page_writes", .error, "When the machine stops, pages that were being written may be torn."),
        (
            "synchronous_commit", .error,
            "When the server stops, pushes are lost that devices were told are stored, and nobody notices."
        ),
        ("autovacuum", .warning, "Tables grow with every change, and plans get worse."),
        ("track_counts", .warning, "Autovacuum does nothing without it: tables grow with every change."),
    ]

    /// Returns a finding for each setting that puts acknowledged writes at risk by its value in this session.
    package static func durabilityFaults(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        try settings(session).filter { $0.severity == .error }
    }

    static func settings(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT name, source, quote_ident(session_user), quote_ident(current_database())
                FROM pg_settings WHERE name = ANY ($1) AND setting = 'off'
                """, [.texts(Self.wanted.map(\.name))]))
        return Self.wanted.compactMap { setting in
            guard let row = (0..<rows.count).first(where: { rows.string($0, 0) == setting.name }) else { return nil }
            let (name, login, database) = (setting.name, rows.string(row, 2), rows.string(row, 3))
            let remedy =
                switch rows.string(row, 1) {
                case "user": "ALTER ROLE \(login) RESET \(name);"
                case "database": "ALTER DATABASE \(database) RESET \(name);"
                case "database user": "ALTER ROLE \(login) IN DATABASE \(database) RESET \(name);"
                case "command line": "Start PostgreSQL without ‘-c \(name)=off’."
                default: "ALTER SYSTEM SET \(name) = on; SELECT pg_reload_conf();"
                }
            return .init(.settings, setting.severity, "setting \(name)", "It is off. \(setting.fault)", remedy)
        }
    }

    static func findings(_ faults: [DatabaseFitness.Fault]) -> [Diagnosis.Finding] {
        faults.map { .init($0.check, .error, $0.object, $0.fault, $0.remedy) }
    }

    func fitness(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        try Self.findings(DatabaseFitness.faults(session) + DatabaseFitness.obstacles(session))
    }

    /// Finds settings that change the meaning of statements and are stored for the database, for all roles or for a
    /// login. The server overrides such a setting in each of its own sessions. Other programs that log in still get it.
    func settingsThatAreSetBack(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let logins = try LoginRights.serving(as: servingRole, session)
        let rows = try session.execute(
            Command(
                """
                SELECT pinned.name, substr(entry, strpos(entry, '=') + 1),
                    CASE WHEN setrole = 0 AND setdatabase = 0 THEN 'ROLE ALL'
                        WHEN setrole = 0 THEN format('DATABASE %I', datname)
                        WHEN setdatabase = 0 THEN format('ROLE %I', rolname)
                        ELSE format('ROLE %I IN DATABASE %I', rolname, datname) END
                FROM pg_db_role_setting AS s CROSS JOIN LATERAL unnest(s.setconfig) AS entry
                    JOIN unnest($1::text[], $2::text[]) AS pinned (name, value)
                        ON lower(split_part(entry, '=', 1)) = lower(pinned.name)
                    LEFT JOIN pg_database AS d ON d.oid = s.setdatabase LEFT JOIN pg_roles AS r ON r.oid = s.setrole
                WHERE (setdatabase = 0 OR datname = current_database())
                    AND (setrole = 0 OR rolname = session_user OR rolname = ANY ($3))
                    AND lower(substr(entry, strpos(entry, '=') + 1)) <> lower(pinned.value)
                ORDER BY 1, 3
                """,
                [
                    .texts(PinnedSettings.meanings.map(\.name)), .texts(PinnedSettings.meanings.map(\.value)),
                    .texts(logins),
                ]))
        return (0..<rows.count).map { row in
            let (name, target) = (rows.string(row, 0), rows.string(row, 2))
            return .init(
                .settings, .warning, "setting \(name)",
                "It is ‘\(rows.string(row, 1))’ here, by which a statement means something else. Runs and servers set "
                    + "it back; what else logs in does not.",
                "ALTER \(target) RESET \(name);")
        }
    }

    func version(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                "SELECT current_setting('server_version_num')::bigint / 10000, current_setting('server_version')"))
        if rows.int(0, 0) >= limits.majorMin { return [] }
        return [
            .init(
                .version, .error, "PostgreSQL \(rows.string(0, 1))",
                "It is older than \(limits.majorMin), the oldest that this release is made for.",
                "Install PostgreSQL \(limits.majorMin) or newer, and ‘pg_upgrade’ the cluster.")
        ]
    }

    /// The number of sessions that one server opens: those of its pool, one for its registration as a server at work,
    /// and one for the notifications between servers.
    private static var sessionsOfServer: Int64 { Int64(PoolLimits().sessionsMax) + 2 }

    func connections(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT count, remedy FROM (
                    SELECT current_setting('max_connections')::bigint
                            - current_setting('superuser_reserved_connections')::bigint
                            - coalesce(current_setting('reserved_connections', true), '0')::bigint,
                        'ALTER SYSTEM SET max_connections = 100; and restart PostgreSQL.'
                    UNION ALL
                    SELECT rolconnlimit, format('ALTER ROLE %I CONNECTION LIMIT -1;', rolname)
                    FROM pg_roles WHERE rolname = session_user AND rolconnlimit >= 0
                    UNION ALL
                    SELECT datconnlimit, format('ALTER DATABASE %I CONNECTION LIMIT -1;', datname)
                    FROM pg_database WHERE datname = current_database() AND datconnlimit >= 0
                ) AS source (count, remedy)
                ORDER BY count LIMIT 1
                """))
        let (count, remedy, needed) = (rows.int(0, 0), rows.string(0, 1), Self.sessionsOfServer)
        // While one server replaces another, both run.
        if count >= 2 * needed { return [] }
        let fault =
            count < needed
            ? "A server opens up to \(needed) sessions, and there are at most \(count)."
            : "Two servers, as while one takes another's place, open up to \(2 * needed) sessions, and there are at "
                + "most \(count)."
        return [.init(.connections, count < needed ? .error : .warning, "sessions", fault, remedy)]
    }

    func clock(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let estimate = ClockEstimate(try ClockReading(host, session))
        guard let disagreement = estimate.disagreement else { return [] }
        return [
            .init(
                .clock, .error, "clocks",
                "This machine's says \(disagreement.host), and the database's \(disagreement.database). Nothing is "
                    + "removed for its age meanwhile.", "Set both by NTP: ‘timedatectl set-ntp true’.")
        ]
    }

    func pooler(_ session: Session) async throws(MigrationError) -> [Diagnosis.Finding] {
        do throws(MigrationError) {
            try await PoolerProbe.refuse(session, migrator.string)
            return []
        } catch .pooled {
            return [
                .init(
                    .pooler, .error, "the connection string",
                    "It leads to a pooler that gives each transaction another session: neither the locks of runs and "
                        + "servers hold there, nor what a session is told once.",
                    "Give one that leads to PostgreSQL itself, or to a pool in session mode.")
            ]
        }
    }
}
