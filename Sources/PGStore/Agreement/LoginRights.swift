package import Postgres

/// What a login may do in a database of ours: whether requests can be served with it, and what whoever breaks out of a
/// request's statements could do with it.
package struct LoginRights: Sendable {
    /// The role that requests are served in; made by the first migration.
    package static let servingRoleName = "syncserver_serving"

    /// As SQL writes it.
    package let name: String
    /// Whom requests are served as; `nil` where no migration has made the role.
    package let servingRole: String?
    /// Whether it may take the serving role on.
    package let mayServe: Bool
    /// Whom the server's tables belong to, or the database where there are none, as SQL writes it.
    package let owner: String
    /// Whether it may do what the owner may.
    package let mayActAsOwner: Bool
    /// What it may do beyond the serving role that reaches the rows of every space, as ends of a sentence that begins
    /// with its name; empty where that is nothing.
    package let powers: [String]

    /// Of the session's login, whatever role the session is in; or of another.
    package static func read(
        of login: String? = nil, servingRole: String = servingRoleName, _ session: isolated Session
    ) throws(PGError) -> LoginRights {
        let rows = try session.execute(Command(reading, [.text(login), .text(servingRole)]))
        let names = rows.string(0, 6)
        var powers: [String] = []
        if rows.bool(0, 5) {
            powers.append("is a superuser")
        } else {
            if rows.bool(0, 7) { powers.append("bypasses row-level security") }
            if rows.bool(0, 8) { powers.append("may make roles, and so become any that is no superuser") }
            if rows.bool(0, 9) { powers.append("may replicate the whole server") }
            if rows.bool(0, 4) { powers.append("may do what the owner of the tables may") }
            if !names.isEmpty { powers.append("is a member of \(names)") }
        }
        return LoginRights(
            name: rows.string(0, 0), servingRole: rows.bool(0, 1) ? servingRole : nil, mayServe: rows.bool(0, 2),
            owner: rows.string(0, 3), mayActAsOwner: rows.bool(0, 4) || rows.bool(0, 5), powers: powers)
    }

    /// The logins that may take the serving role on, without superusers, by name.
    package static func serving(as role: String, _ session: isolated Session) throws(PGError) -> [String] {
        let rows = try session.execute(
            Command(
                """
                SELECT login.rolname::text FROM pg_roles AS login JOIN pg_roles AS role ON role.rolname = $1
                WHERE login.rolcanlogin AND NOT login.rolsuper AND login.oid <> role.oid
                    AND pg_has_role(login.oid, role.oid, 'MEMBER')
                ORDER BY 1
                """, [.text(role)]))
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// Since PostgreSQL 16 a member may still not be allowed to take the role on, and who may make roles can no longer
    /// grant itself any.
    private static let reading: Statement = """
        SELECT quote_ident(login.rolname), role.oid IS NOT NULL,
            coalesce(pg_has_role(login.oid, role.oid, CASE WHEN version >= 160000 THEN 'SET' ELSE 'MEMBER' END), false),
            quote_ident(pg_get_userbyid(owner)), pg_has_role(login.oid, owner, 'MEMBER'), login.rolsuper,
            (SELECT coalesce(string_agg(quote_ident(other.rolname), ', ' ORDER BY other.rolname), '')
            FROM pg_roles AS other
            WHERE pg_has_role(login.oid, other.oid, 'MEMBER') AND other.oid NOT IN (login.oid, owner)
                AND (role.oid IS NULL OR NOT pg_has_role(role.oid, other.oid, 'MEMBER'))
                AND (other.rolsuper OR other.rolbypassrls OR other.rolname IN (
                    'pg_read_all_data', 'pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files',
                    'pg_execute_server_program'))),
            login.rolbypassrls, login.rolcreaterole AND version < 160000, login.rolreplication
        FROM pg_roles AS login LEFT JOIN pg_roles AS role ON role.rolname = $2,
            CAST(current_setting('server_version_num') AS integer) AS version,
            coalesce(
                (SELECT nspowner FROM pg_namespace WHERE nspname = 'sync'),
                (SELECT datdba FROM pg_database WHERE datname = current_database())) AS owner
        WHERE login.rolname = coalesce($1, session_user)
        """
}

extension LoginRights {
    /// Why nothing can be served with the login, and what to do; `nil` where it can be. Where there is no role yet, the
    /// migrations are what is missing.
    package var refusal: String? {
        guard let servingRole, !mayServe else { return nil }
        return "The login \(name) may not take the role \(servingRole) on, in which requests are served. Say as "
            + "\(owner), or as an administrator: GRANT \(servingRole) TO \(name);"
    }

    /// What is wrong with serving with it, and what to do, in one line; `nil` where nothing is.
    package var warning: String? {
        if powers.isEmpty { return nil }
        return "The login \(name) \(powers.joined(separator: ", ")): whoever breaks out of a request has every space. "
            + "Serve with a login of its own: \(remedy)"
    }

    /// Makes a login that may serve and nothing else.
    package var remedy: String {
        "CREATE ROLE sync_server LOGIN PASSWORD '…' IN ROLE \(servingRole ?? Self.servingRoleName);"
    }

    /// Why the login may not do what only the owner of the tables may, and what to do.
    package var notOwner: String {
        "The login \(name) may not do this, because it works on what belongs to \(owner). Log in as \(owner): its "
            + "connection string goes into DATABASE_URL, or behind ‘--database’."
    }
}
