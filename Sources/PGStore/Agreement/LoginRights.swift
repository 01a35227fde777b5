package import Postgres

/// The rights of a login in a database of this server. They show if the login can serve requests. They also show if an
/// attacker who takes over one of its sessions could read the rows of all spaces.
package struct LoginRights: Sendable {
    /// The name of the role in which requests are served. The first migration creates the role.
    package static let servingRoleName = "syncserver_serving"

    /// The login's name, quoted as an SQL identifier if necessary.
    package let name: String
    /// The role in which requests are served; `nil` if no migration has created it.
    package let servingRole: String?
    /// True if the login is permitted to take on the serving role (`SET ROLE`).
    package let mayServe: Bool
    /// The owner of the server's tables, or of the database if there are no tables yet; quoted as an SQL identifier if
    /// necessary.
    package let owner: String
    /// True if the login has the rights of the role that owns the tables.
    package let mayActAsOwner: Bool
    /// The rights by which the login can read the rows of every space even without the serving role; empty if there are
    /// none. Each text completes a sentence that begins with the login's name, such as `is a superuser`.
    package let powers: [String]

    /// Reads the rights of `login`. If `login` is `nil`, reads the rights of the login with which the session was
    /// opened, even if the session has taken on another role.
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

    /// Returns the names of the logins that are members of the role for serving requests, except superusers, in
    /// alphabetical order.
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

    /// The statement that reads the rights of a login. It checks more than memberships in roles. Since PostgreSQL 16, a
    /// member of a role is not always permitted to take the role on, and a login that may create roles can no longer
    /// grant itself any role.
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
    /// The reason why the login cannot serve requests, with the remedy; `nil` if it can. Also `nil` if the serving role
    /// does not exist yet: that is reported as a missing migration.
    package var refusal: String? {
        guard let servingRole, !mayServe else { return nil }
        return "The login \(name) may not take the role \(servingRole) on, in which requests are served. Say as "
            + "\(owner), or as an administrator: GRANT \(servingRole) TO \(name);"
    }

    /// A warning about serving with the login, with its remedy, in one line; `nil` if there is nothing to warn of.
    package var warning: String? {
        if powers.isEmpty { return nil }
        return "The login \(name) \(powers.joined(separator: ", ")): whoever breaks out of a request has every space. "
            + "Serve with a login of its own: \(remedy)"
    }

    /// The SQL that creates a login with the right to serve and no other.
    package var remedy: String {
        "CREATE ROLE sync_server LOGIN PASSWORD '…' IN ROLE \(servingRole ?? Self.servingRoleName);"
    }

    /// The error message for an operation that only the owner of the tables may run, if the login is not permitted to
    /// act as the owner. The message also tells how to log in as the owner.
    package var notOwner: String {
        "The login \(name) may not do this, because it works on what belongs to \(owner). Log in as \(owner): its "
            + "connection string goes into DATABASE_URL, or behind ‘--database’."
    }
}
