import Postgres

/// Revokes the privileges that other roles get on new objects by default privileges (`ALTER DEFAULT PRIVILEGES`). Only
/// the owner and the serving role keep privileges on the objects that a migration creates.
struct PrivilegeSweep {
    let schemas: [String]
    /// The OIDs of the objects that existed before the step. `nil` if the database has no default privileges, so that
    /// nothing has to be revoked.
    private let known: [Int64]?

    /// Notes the objects that exist now. Their privileges will be kept, because an operator may have granted them on
    /// purpose.
    init(_ schemas: [String], _ session: isolated Session) throws(PGError) {
        self.schemas = schemas
        guard try session.execute("SELECT EXISTS (SELECT FROM pg_default_acl)").bool(0, 0) else {
            known = nil
            return
        }
        let rows = try session.execute(Command(Self.finding, [.texts(schemas), .ints([])]))
        known = (0..<rows.count).map { rows.int($0, 0) }
    }

    /// Revokes the privileges of other roles on objects that were made since this value was created.
    func run(_ session: isolated Session) throws(PGError) {
        guard let known else { return }
        let rows = try session.execute(Command(Self.finding, [.texts(schemas), .ints(known)]))
        let taking = (0..<rows.count).compactMap { rows.isNull($0, 1) ? nil : rows.string($0, 1) }
        if !taking.isEmpty { try session.runScript(taking.joined(separator: "; ")) }
    }

    /// A query for all schemas, relations and functions except those whose OIDs are in `$2`. Each row has the `REVOKE`
    /// statements that remove other roles' privileges on the object, or `NULL` if there are none. The right of PUBLIC
    /// to run functions is not revoked, because PostgreSQL grants it by default.
    private static let finding: Statement = """
        SELECT object.id::bigint, (
            SELECT string_agg(DISTINCT format('REVOKE ALL ON %s FROM %s CASCADE', object.name,
                CASE WHEN item.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(item.grantee)) END), '; ')
            FROM aclexplode(object.acl) AS item
            WHERE item.grantee <> object.owner AND NOT (item.grantee = 0 AND object.runs)
                AND item.grantee NOT IN (SELECT oid FROM pg_roles WHERE rolname = 'syncserver_serving'))
        FROM (
            SELECT oid, format('SCHEMA %I', nspname), nspacl, nspowner, false FROM pg_namespace WHERE nspname = ANY ($1)
            UNION ALL
            SELECT c.oid, format('%s %I.%I', CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, nspname, relname),
                relacl, relowner, false
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
            WHERE nspname = ANY ($1) AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
            UNION ALL
            SELECT p.oid, format('ROUTINE %s', p.oid::regprocedure), proacl, proowner, true
            FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = pronamespace WHERE nspname = ANY ($1)
        ) AS object (id, name, acl, owner, runs)
        WHERE object.id::bigint <> ALL ($2)
        """
}
