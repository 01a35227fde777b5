import PGStore
import Postgres

/// Findings about roles and their privileges.
extension Doctor {
    /// Returns two sentences: on the login (the tables that it owns and what it may make), and on the role in which
    /// requests are served.
    func login(_ session: isolated Session) throws(PGError) -> String {
        let rows = try session.execute(
            Command(
                """
                SELECT rolname::text,
                    (SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                    WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND c.relowner = r.oid),
                    concat_ws(' and ', CASE WHEN rolcreaterole THEN 'roles' END,
                        CASE WHEN rolcreatedb THEN 'databases' END)
                FROM pg_roles AS r WHERE rolname = current_user
                """, [.texts(schemas)]))
        let may = rows.string(0, 2)
        return
            "The login \(rows.string(0, 0)) owns \(rows.int(0, 1)) tables\(may.isEmpty ? "" : " and may make \(may)"). "
            + "Requests are served as \(servingRole)."
    }

    func powers(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT quote_ident(rolname), rolsuper, rolbypassrls, quote_ident(current_database())
                FROM pg_roles WHERE rolname = session_user
                """))
        let (role, database) = (rows.string(0, 0), rows.string(0, 3))
        var found: [Diagnosis.Finding] = []
        if rows.bool(0, 1) {
            found.append(
                .init(
                    .role, .warning, "role \(role)",
                    "The login is a superuser. Requests are served as \(servingRole), but who breaks out of that "
                        + "role has the whole server.",
                    "CREATE ROLE syncserver_owner LOGIN CREATEROLE; ALTER DATABASE \(database) OWNER TO "
                        + "syncserver_owner; and its tables; then log in as that role."))
        } else if rows.bool(0, 2) {
            found.append(
                .init(
                    .role, .warning, "role \(role)", "The login bypasses row-level security; it need not.",
                    "ALTER ROLE \(role) NOBYPASSRLS;"))
        }
        let roles = try session.execute(
            Command(
                """
                SELECT quote_ident(granted.rolname), quote_ident(member.rolname)
                FROM pg_auth_members AS m
                    JOIN pg_roles AS granted ON granted.oid = m.roleid JOIN pg_roles AS member ON member.oid = m.member
                WHERE member.rolname = $1 ORDER BY 1
                """, [.text(servingRole)]))
        for row in 0..<roles.count {
            let (granted, member) = (roles.string(row, 0), roles.string(row, 1))
            found.append(
                .init(
                    .role, .error, "role \(member)",
                    "It is a member of \(granted), and may do in requests what that may.",
                    "REVOKE \(granted) FROM \(member);"))
        }
        return found
    }

    /// Opens a session in the role in which requests are served. Adds a finding for each fault in roles and row-level
    /// security that would prevent a server from starting.
    func serve(_ statuses: [MigrationStatus], _ diagnosis: inout Diagnosis) async throws(PGError) {
        let session: Session
        do throws(PGError) {
            session = try await Session.open(migrator.string, role: servingRole)
        } catch {
            // An error without a server report is no fault of the role, so it is thrown.
            guard let report = error.report else { throw error }
            let isThere = report.sqlState == Self.notPermitted
            diagnosis.findings.append(
                .init(
                    .role, .error, "role \(servingRole)", "The login cannot take it on: \(report.message).",
                    isThere
                        ? "GRANT \(servingRole) TO CURRENT_USER; which since sync/0013 ‘syncserver migrate up’ does."
                        : "CREATE ROLE \(servingRole) NOLOGIN; GRANT \(servingRole) TO CURRENT_USER;"))
            return
        }
        let result: Result<[Diagnosis.Finding], PGError>
        do throws(PGError) {
            result = .success(try await walls(session))
        } catch {
            result = .failure(error)
        }
        await session.close()
        diagnosis.findings += try result.get()
    }

    /// The SQLSTATE of `insufficient_privilege`.
    private static let notPermitted = "42501"

    /// Warns about logins that may assume the serving role and have more privileges than serving needs. If every such
    /// login has excess privileges, returns one warning about all of them. Otherwise returns a warning for each of them
    /// that a running server uses.
    func servingLogins(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let powerful = try LoginRights.serving(as: servingRole, session)
            .map { name throws(PGError) in try LoginRights.read(of: name, servingRole: servingRole, session) }
        guard let any = powerful.first else { return [] }
        if powerful.allSatisfy({ !$0.powers.isEmpty }) {
            return [
                .init(
                    .role, .warning, "role \(servingRole)",
                    "Nobody may take it on but \(powerful.map(\.name).joined(separator: ", ")), who may do more than "
                        + "serve: whoever breaks out of a request has every space.",
                    any.remedy)
            ]
        }
        let atWork = Set(try ServingLevel.logins(of: migrator.lines, session))
        return powerful.filter { atWork.contains($0.name) && !$0.powers.isEmpty }.map { login in
            .init(
                .role, .warning, "role \(login.name)",
                "A server is at work with this login, which \(login.powers.joined(separator: ", ")).",
                "Start it with one of \(powerful.filter(\.powers.isEmpty).map(\.name).joined(separator: ", ")).")
        }
    }

    private func walls(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let powers = try Agreement.excessivePowers(of: schemas, session).map { difference in
            Diagnosis.Finding(
                .role, .error, difference.place, "Requests are served in it, and \(difference.message).",
                difference.remedy ?? "")
        }
        let breaches = try Agreement.breaches(in: schemas, session).map { difference in
            Diagnosis.Finding(
                .wall, .error, "table \(difference.place)",
                "\(difference.message.prefix(1).uppercased())\(difference.message.dropFirst()).",
                difference.remedy ?? "")
        }
        return powers + breaches
    }
}
