/// The definitions of the objects in a schema, as PostgreSQL itself prints them: tables, columns, indices, constraints,
/// policies, triggers, functions, views and sequences. Rows, owners and privileges are not included.
package struct Catalog: Sendable, Hashable {
    /// The definition of each object, by the object's kind and name, such as `column fitiq.sd_meal.notes`.
    package let definitions: [String: String]

    /// Reads the definitions of a schema's objects from the database.
    ///
    /// - Parameters:
    ///   - schema: the name of the schema. If it does not exist, the catalog is empty.
    ///   - tables: tables of the schema to leave out, with everything that belongs to them.
    package static func read(
        _ schema: String, except tables: [String] = [], _ session: isolated Session
    ) throws(PGError) -> Catalog {
        // PostgreSQL prints the schema of objects that are not on the search path: with an empty path, of all.
        try session.runScript("SET search_path = ''")
        let rows = try session.execute(Command(everything, [.text(schema), .texts(tables)]))
        // A function keeps the line ends of the checkout from which it was made.
        return Catalog(
            definitions: Dictionary(
                (0..<rows.count).map { (rows.string($0, 0), LineEnds.plain(rows.string($0, 1))) },
                uniquingKeysWith: { "\($0)\n\($1)" }))
    }

    /// Returns the objects whose definition here differs from that in `wanted`, and those that only one of the two has.
    /// They are sorted by name.
    package func differences(from wanted: Catalog) -> [Difference] {
        Set(definitions.keys).union(wanted.definitions.keys).sorted().compactMap { object in
            let (found, expected) = (definitions[object], wanted.definitions[object])
            return found == expected ? nil : Difference(object: object, expected: expected, found: found)
        }
    }

    /// One object that differs from its expected definition.
    package struct Difference: Sendable, Hashable {
        package let object: String
        /// The definition that the object should have; `nil` if the object should not exist.
        package let expected: String?
        /// The definition that the object has; `nil` if the object is missing.
        package let found: String?
    }
}

extension Catalog {
    private static let everything: Statement = """
        WITH relation AS (
            SELECT c.*, n.nspname || '.' || c.relname AS name
            FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname <> ALL ($2)
        )
        SELECT CASE relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'materialized view ' ELSE 'table ' END || name,
            concat_ws(', ',
                CASE WHEN relrowsecurity THEN 'row security' END,
                CASE WHEN relforcerowsecurity THEN 'forced' END,
                CASE WHEN relpersistence <> 'p' THEN 'not logged' END,
                reloptions::text,
                CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(oid) END)
        FROM relation WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
        UNION ALL
        SELECT 'column ' || r.name || '.' || a.attname,
            concat_ws(' ',
                format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.attcollation <> t.typcollation THEN 'COLLATE ' || a.attcollation::regcollation::text END,
                CASE WHEN a.attnotnull THEN 'NOT NULL' END,
                CASE a.attidentity WHEN 'a' THEN 'ALWAYS AS IDENTITY' WHEN 'd' THEN 'BY DEFAULT AS IDENTITY' END,
                CASE WHEN a.attgenerated = 's' THEN 'GENERATED' END,
                'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid))
        FROM relation AS r
            JOIN pg_attribute AS a ON a.attrelid = r.oid
            JOIN pg_type AS t ON t.oid = a.atttypid
            LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE r.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT 'index ' || r.name || ' (' || c.relname || ')',
            concat_ws(', ', pg_get_indexdef(i.indexrelid), CASE WHEN NOT i.indisvalid THEN 'invalid' END)
        FROM relation AS r JOIN pg_index AS i ON i.indrelid = r.oid JOIN pg_class AS c ON c.oid = i.indexrelid
        UNION ALL
        SELECT 'constraint ' || r.name || ' (' || c.conname || ')', pg_get_constraintdef(c.oid)
        FROM relation AS r JOIN pg_constraint AS c ON c.conrelid = r.oid
        UNION ALL
        SELECT 'policy ' || r.name || ' (' || p.polname || ')',
            concat_ws(' ',
                CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END, 'for', p.polcmd, 'to',
                (SELECT string_agg(
                    CASE role WHEN 0 THEN 'public' WHEN r.relowner THEN 'owner' ELSE pg_get_userbyid(role) END, ', '
                    ORDER BY role)
                FROM unnest(p.polroles) AS role),
                'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
        FROM relation AS r JOIN pg_policy AS p ON p.polrelid = r.oid
        UNION ALL
        SELECT 'trigger ' || r.name || ' (' || t.tgname || ')',
            concat_ws(', ', pg_get_triggerdef(t.oid),
                CASE WHEN t.tgenabled <> 'O' THEN 'enabled ' || t.tgenabled::text END)
        FROM relation AS r JOIN pg_trigger AS t ON t.tgrelid = r.oid
        WHERE NOT t.tgisinternal
        UNION ALL
        SELECT 'sequence ' || r.name,
            concat_ws(' ', s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle)
        FROM relation AS r JOIN pg_sequence AS s ON s.seqrelid = r.oid
        WHERE NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = r.oid AND d.deptype IN ('i', 'a'))
        UNION ALL
        SELECT 'function ' || p.oid::regprocedure::text, pg_get_functiondef(p.oid)
        FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
        WHERE n.nspname = $1 AND p.prokind IN ('f', 'p', 'w')
        """
}
