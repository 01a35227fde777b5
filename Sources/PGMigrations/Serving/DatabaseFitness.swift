import PGStore
package import Postgres

/// Checks, before anything is done in a database, that it can store everything that devices send, and that its settings
/// do not change the meaning of statements.
package enum DatabaseFitness {
    /// Checks the database and its settings, and throws the first fault.
    ///
    /// - Parameter serving: true to check only what serving needs. A setting that makes sessions begin in another role
    ///   is then accepted, because serving has a role of its own. Settings that prevent writing are accepted too,
    ///   because a server may serve only reads.
    /// - Throws: `unfit`, `database`.
    package static func check(_ session: Session, serving: Bool = false) async throws(MigrationError) {
        var faults: [Fault]
        do throws(PGError) {
            faults = try await self.faults(session)
            if !serving { faults += try await obstacles(session) }
        } catch {
            throw .database(error)
        }
        if let first = faults.first { throw .unfit("\(first.object): \(first.fault) \(first.remedy)") }
    }

    /// Checks, in a session opened for this, that migrations can run in the database. Throws `unfit` for the first
    /// fault, and `database`.
    package static func check(_ string: ConnectionString) async throws(MigrationError) {
        let session: Session
        do throws(PGError) { session = try await Session.open(string) } catch { throw .database(error) }
        do throws(MigrationError) {
            try await check(session)
            await session.close()
        } catch {
            await session.close()
            throw error
        }
    }

    /// A fault of the database or its settings that must be fixed before anything is done.
    struct Fault: Sendable {
        let check: Diagnosis.Check
        let object: String
        let fault: String
        let remedy: String
    }

    static func faults(_ session: isolated Session) throws(PGError) -> [Fault] {
        let rows = try session.execute(
            """
            SELECT quote_ident(datname), pg_encoding_to_char(encoding), quote_ident(pg_get_userbyid(datdba)),
                quote_ident(session_user), quote_ident(datname || '_utf8')
            FROM pg_database WHERE datname = current_database()
            """)
        let (database, encoding, login) = (rows.string(0, 0), rows.string(0, 1), rows.string(0, 3))
        var faults: [Fault] = []
        if encoding != "UTF8" {
            faults.append(
                Fault(
                    check: .encoding, object: "database \(database)",
                    fault: "Its encoding is \(encoding), which has not every letter that devices send.",
                    remedy: "Make another: CREATE DATABASE \(rows.string(0, 4)) OWNER \(rows.string(0, 2)) ENCODING "
                        + "'UTF8' LOCALE 'C' TEMPLATE template0;"))
        }
        let settings = try session.execute(PinnedSettings.reading)
        for row in 0..<settings.count {
            let (name, value) = (settings.string(row, 0), settings.string(row, 1))
            faults.append(
                Fault(
                    check: .settings, object: "setting \(name)",
                    fault: "It is ‘\(value)’, by which statements do other than they say, and the login may not set "
                        + "it back.",
                    remedy: "Say as a superuser where it was set: ALTER DATABASE \(database) RESET \(name); or ALTER "
                        + "ROLE \(login) RESET \(name);"))
        }
        return faults
    }

    /// Finds settings that prevent writing, or that make sessions begin in a role other than the login's.
    static func obstacles(_ session: isolated Session) throws(PGError) -> [Fault] {
        try [readOnly(session), otherRole(session)].compactMap(\.self)
    }

    /// A query for the settings that are stored for this database and login, by `ALTER DATABASE` or `ALTER ROLE … SET`.
    /// If a setting is stored in several places, the query returns only the value that takes effect.
    private static let given = """
        SELECT DISTINCT ON (1) lower(split_part(entry, '=', 1)) AS name, substr(entry, strpos(entry, '=') + 1) AS value,
            CASE WHEN setrole = 0 AND setdatabase = 0 THEN 'ROLE ALL'
                WHEN setrole = 0 THEN format('DATABASE %I', datname)
                WHEN setdatabase = 0 THEN format('ROLE %I', rolname)
                ELSE format('ROLE %I IN DATABASE %I', rolname, datname) END AS place
        FROM pg_db_role_setting AS s CROSS JOIN LATERAL unnest(s.setconfig) AS entry
            LEFT JOIN pg_database AS d ON d.oid = s.setdatabase LEFT JOIN pg_roles AS r ON r.oid = s.setrole
        WHERE (setdatabase = 0 OR datname = current_database()) AND (setrole = 0 OR rolname = session_user)
        ORDER BY 1, setrole <> 0 AND setdatabase <> 0 DESC, setrole <> 0 DESC
        """

    private static let readingReadOnly = Command(
        Statement(
            unchecked: """
                SELECT source, place FROM pg_settings LEFT JOIN (\(given)) AS given USING (name)
                WHERE name = 'default_transaction_read_only' AND setting = 'on'
                """))

    private static func readOnly(_ session: isolated Session) throws(PGError) -> Fault? {
        let rows = try session.execute(readingReadOnly)
        guard rows.count > 0 else { return nil }
        let name = "default_transaction_read_only"
        let roleSources = ["database", "user", "database user"]
        let remedy =
            switch (rows.string(0, 0), rows.stringIfPresent(0, 1)) {
            case (let source, let target?) where roleSources.contains(source):
                "SET \(name) = off; ALTER \(target) RESET \(name);"
            case ("client", _), ("environment variable", _):
                "Take ‘\(name)’ out of the connection string and of PGOPTIONS."
            case ("command line", _): "Start PostgreSQL without ‘-c \(name)=on’."
            default: "ALTER SYSTEM SET \(name) = off; SELECT pg_reload_conf();"
            }
        return Fault(
            check: .settings, object: "setting \(name)",
            fault: "It is on, so that nothing can be written. A provider sets it where the disk is nearly full: make "
                + "room first then.", remedy: remedy)
    }

    private static let readingRole = Command(
        Statement(
            unchecked: """
                SELECT quote_ident(given.value), quote_ident(session_user), given.place
                FROM (\(given)) AS given,
                    coalesce(
                        (SELECT nspowner FROM pg_namespace WHERE nspname = 'sync'),
                        (SELECT datdba FROM pg_database WHERE datname = current_database())) AS owner
                WHERE given.name = 'role' AND given.value = current_user::text AND current_user <> session_user
                    AND pg_has_role(session_user, owner, 'MEMBER') AND NOT pg_has_role(current_user, owner, 'MEMBER')
                """))

    /// Finds a stored `role` setting that makes the login's sessions begin in a role which may not act as the owner,
    /// although the login may. Returns `nil` if there is none.
    static func otherRole(_ session: isolated Session) throws(PGError) -> Fault? {
        let rows = try session.execute(readingRole)
        guard rows.count > 0 else { return nil }
        return Fault(
            check: .settings, object: "setting role",
            fault: "It is ‘\(rows.string(0, 0))’, which each session of the login \(rows.string(0, 1)) begins in, and "
                + "which may not do what that login may.",
            remedy: "SET ROLE NONE; ALTER \(rows.string(0, 2)) RESET role;")
    }
}
