import PGStore
package import Postgres

/// Findings about roles other than the owner and the serving role that have privileges in the server's schemas.
extension Doctor {
    /// Finds privileges, and default privileges, of roles other than the owner and the serving role.
    ///
    /// - Parameter session: a session of the owner, outside of a transaction.
    package func privileges(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        try otherRoles(session) + defaultPrivileges(session)
    }

    /// Finds roles, and PUBLIC, that have privileges in the server's schemas and are neither the owner nor the serving
    /// role.
    private func otherRoles(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(Statement(unchecked: Self.otherRoles), [.texts(schemas), .text(servingRole)]))
        return (0..<rows.count).map { row in
            let (role, may, remedy) = (rows.string(row, 0), rows.string(row, 1), rows.string(row, 2))
            let isBackup = rows.bool(row, 3)
            return .init(
                .privileges, isBackup ? .warning : .error, role == "PUBLIC" ? "everybody" : "role \(role)",
                "\(role == "PUBLIC" ? "Whoever logs in" : "It") has privileges where only the server has any: \(may).",
                remedy)
        }
    }

    /// Finds default privileges of the owner that would give other roles privileges on new objects. Objects that are
    /// made by hand or restored from a dump keep these privileges; migration runs revoke them on the objects that they
    /// make.
    private func defaultPrivileges(_ session: isolated Session) throws(PGError) -> [Diagnosis.Finding] {
        let rows = try session.execute(
            Command(
                """
                SELECT DISTINCT quote_ident(pg_get_userbyid(d.defaclrole)),
                    format('ALTER DEFAULT PRIVILEGES FOR ROLE %I%s REVOKE ALL ON %s FROM %s;',
                        pg_get_userbyid(d.defaclrole), coalesce(' IN SCHEMA ' || quote_ident(n.nspname), ''),
                        CASE d.defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'f' THEN 'ROUTINES'
                            WHEN 'T' THEN 'TYPES' ELSE 'SCHEMAS' END,
                        CASE item.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(item.grantee)) END)
                FROM pg_default_acl AS d LEFT JOIN pg_namespace AS n ON n.oid = d.defaclnamespace
                    CROSS JOIN LATERAL aclexplode(d.defaclacl) AS item
                WHERE d.defaclrole IN (SELECT nspowner FROM pg_namespace WHERE nspname = ANY ($1))
                    AND (n.nspname IS NULL OR n.nspname = ANY ($1)) AND d.defaclobjtype IN ('r', 'S', 'f', 'n')
                    AND item.grantee <> d.defaclrole AND NOT (item.grantee = 0 AND d.defaclobjtype = 'f')
                    AND item.grantee NOT IN (SELECT oid FROM pg_roles WHERE rolname = $2)
                ORDER BY 2
                """, [.texts(schemas), .text(servingRole)]))
        return (0..<rows.count).map { row in
            .init(
                .privileges, .warning, "default privileges of \(rows.string(row, 0))",
                "They give others something of whatever this role makes. Runs take that away; what is made by hand or "
                    + "restored keeps it.", rows.string(row, 1))
        }
    }

    /// A query for the roles that have privileges in the schemas, except the owners and the serving role. It returns
    /// one row for each role: the role, its privileges, the statements that revoke them, and true if the role only
    /// reads and bypasses row-level security, as a role for backups does.
    private static let otherRoles = """
        WITH object AS (
            SELECT 'schema ' || nspname AS name, format('SCHEMA %I', nspname) AS place, '' AS part, nspacl AS acl,
                nspowner AS owner, false AS runs
            FROM pg_namespace WHERE nspname = ANY ($1)
            UNION ALL
            SELECT n.nspname || '.' || relname, 
                format('%s %I.%I', CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                nspname, relname), '', relacl, relowner, false
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
            WHERE nspname = ANY ($1) AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
            UNION ALL
            SELECT n.nspname || '.' || relname || '.' || attname, format('TABLE %I.%I', nspname, relname),
                format(' (%I)', attname), attacl, relowner, false
            FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = attrelid JOIN pg_namespace AS n ON n.oid = relnamespace
            WHERE nspname = ANY ($1) AND attacl IS NOT NULL AND NOT attisdropped
            UNION ALL
            SELECT p.oid::regprocedure::text, format('ROUTINE %s', p.oid::regprocedure), '', proacl, proowner,
                NOT prosecdef
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace WHERE nspname = ANY ($1)
        ), item AS (
            SELECT object.*, item.grantee, item.privilege_type AS may
            FROM object CROSS JOIN LATERAL aclexplode(object.acl) AS item
            WHERE item.grantee <> object.owner AND NOT (item.grantee = 0 AND object.runs)
                AND item.grantee NOT IN (SELECT oid FROM pg_roles WHERE rolname = $2)
        )
        SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END,
            (SELECT string_agg(DISTINCT i.may, ', ') FROM item AS i WHERE i.grantee = item.grantee) || ' on '
                || min(name) || CASE count(DISTINCT name) WHEN 1 THEN '' ELSE
                    ' and ' || count(DISTINCT name) - 1 || ' others' END,
            string_agg(DISTINCT format('REVOKE ALL%s ON %s FROM %s;', part, place,
                CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END), ' '),
            bool_and(may IN ('SELECT', 'USAGE'))
                AND coalesce((SELECT rolbypassrls FROM pg_roles AS r WHERE r.oid = item.grantee), false)
        FROM item GROUP BY grantee ORDER BY 1
        """
}
