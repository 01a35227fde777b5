package import Postgres

extension Agreement {
    /// Checks that row-level security separates the spaces in every table of `schemas` that has a space column. The
    /// check is made for the session's role. Returns a difference for each of these faults of a table:
    ///
    /// - Row-level security is not enabled and forced.
    /// - The table has no policy, or another one than `sync.enroll` creates.
    /// - The role lacks privileges that serving requests needs.
    package static func breaches(in schemas: [String], _ session: isolated Session) throws(PGError) -> [Difference] {
        let rows = try session.execute(Command(walls, [.texts(schemas)]))
        var found: [Difference] = []
        for row in 0..<rows.count {
            let place = rows.string(row, 0)
            if !rows.bool(row, 1) {
                found.append(
                    Difference(
                        place: place, message: "row-level security is not enabled and forced",
                        remedy: "ALTER TABLE \(place) ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;"))
            }
            let policies = rows.string(row, 2)
            if policies != onlyPolicy {
                let has = policies.isEmpty ? "it has no policy" : "its policy is ‘\(policies)’"
                found.append(
                    Difference(
                        place: place, message: "\(has), the plan needs ‘\(onlyPolicy)’",
                        remedy:
                            "DROP POLICY what is too many, and where it is missing: CREATE POLICY space ON \(place) "
                            + "TO syncserver_serving USING (space_id = (SELECT current_setting('sync.space')::uuid));"))
            }
            let missing = rows.string(row, 3)
            if !missing.isEmpty {
                found.append(
                    Difference(
                        place: place, message: "the serving role has no privilege to \(missing)",
                        remedy: "GRANT \(missing) ON \(place) TO syncserver_serving;"))
            }
        }
        return found
    }

    /// The only row-level security policy that a table may have, as text. `*` stands for all commands, and `true` for a
    /// permissive policy.
    ///
    /// `{0}` stands for the roles to which the policy applies: the serving role, or all roles. The policy applies to
    /// all roles until the contract step of the migration `sync/0029` has run.
    private static let onlyPolicy =
        "* true {0} (space_id = ( SELECT (current_setting('sync.space'::text))::uuid AS current_setting))"

    private static let walls: Statement = """
        SELECT n.nspname || '.' || c.relname,
            c.relrowsecurity AND c.relforcerowsecurity,
            (SELECT coalesce(string_agg(
                concat_ws(' ', p.polcmd, CASE WHEN p.polpermissive THEN 'true' ELSE 'false' END,
                    CASE WHEN p.polroles = ARRAY[(SELECT oid FROM pg_roles WHERE rolname = 'syncserver_serving')]
                        THEN '{0}' ELSE p.polroles::text END,
                    pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)),
                '; ' ORDER BY p.polname), '')
            FROM pg_policy AS p
            -- The owner's own, for migrations, is none of the serving role's: see `excessivePowers`.
            WHERE p.polrelid = c.oid AND p.polroles <> ARRAY[c.relowner]),
            (SELECT coalesce(string_agg(needed, ', '), '')
            FROM unnest(CASE n.nspname
                WHEN 'sync' THEN ARRAY['SELECT', 'INSERT']
                ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS needed
            WHERE NOT has_table_privilege(c.oid, needed))
        FROM pg_class AS c
            JOIN pg_namespace AS n ON n.oid = c.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE n.nspname = ANY ($1) AND c.relkind IN ('r', 'p') AND a.attname = 'space_id' AND NOT a.attisdropped
            -- What records' tables are made like; it holds none.
            AND NOT (n.nspname = 'sync' AND c.relname = 'record')
        ORDER BY 1
        """
}
