package import Postgres
package import WireFormats

/// A table whose rows belong to spaces, and move with them to another database.
package struct MovedTable: Hashable, Sendable {
    /// The table's schema and name, quoted.
    package let name: String
    /// The columns, quoted and in the order of their names: two databases may have them in different orders.
    private let columns: String
    /// True if `space_id` is in the primary key. Otherwise, PostgreSQL cannot replicate single spaces of the table.
    package let isKeyedBySpace: Bool

    /// Lists the tables that move: all behind row-level security by space, but those of the directory. Members,
    /// invitations and erasures stay there. A row of `sync.space` is the last to be deleted, so its table is the last.
    package static let listing: Command = """
        SELECT format('%I.%I', n.nspname, c.relname),
            string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname),
            coalesce(bool_or(a.attname = 'space_id' AND a.attnum = ANY (i.indkey::smallint[])), false)
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
        WHERE c.relkind IN ('r', 'p') AND c.relforcerowsecurity AND EXISTS (
                SELECT FROM pg_attribute AS s
                WHERE s.attrelid = c.oid AND s.attname = 'space_id' AND s.atttypid = 'uuid'::regtype
                    AND NOT s.attisdropped)
            AND NOT (n.nspname = 'sync' AND c.relname IN ('member', 'invitation', 'erasure', 'revocation', 'record'))
        GROUP BY n.nspname, c.relname
        ORDER BY n.nspname = 'sync' AND c.relname = 'space', n.nspname, c.relname
        """

    /// Parses the tables that the command `listing` returned.
    package static func all(_ rows: Rows) -> [MovedTable] {
        (0..<rows.count).map {
            MovedTable(name: rows.string($0, 0), columns: rows.string($0, 1), isKeyedBySpace: rows.bool($0, 2))
        }
    }

    private func isMoved(_ spaces: SpaceSet) -> String {
        "space_id IN (SELECT space_id FROM sync.space WHERE \(spaces.contains("space_id")))"
    }

    /// Returns a query for the number of rows of these spaces, and a digest of their values, as text: a row for each
    /// table, in order. A digest is the sum of the rows' hashes, so it does not depend on their order. It is one
    /// statement, so that one timeout limits it.
    package static func digesting(_ spaces: SpaceSet, in tables: [MovedTable]) -> Command {
        let parts = tables.enumerated().map { index, table in
            """
            SELECT \(index) AS place, count(*),
                coalesce(sum(hashtextextended(ROW(\(table.columns))::text, 0)::numeric), 0)::text
            FROM \(table.name) WHERE \(table.isMoved(spaces))
            """
        }
        return Command(Statement(unchecked: "\(parts.joined(separator: "\nUNION ALL\n"))\nORDER BY place"))
    }

    /// Lists the ids of the spaces, as far as the database has rows of `sync.space`.
    package static func listing(_ spaces: SpaceSet) -> Command {
        Command(Statement(unchecked: "SELECT space_id FROM sync.space WHERE \(spaces.contains("space_id"))"))
    }

    /// Deletes at most `limit` of the table's rows of spaces, and only if the database serves none of `spaces`.
    ///
    /// - Parameter ids: the ids of the spaces. In the target of a move, a table may have rows of spaces that have no
    ///   row
    ///   in `sync.space` there yet.
    package func deleting(_ spaces: SpaceSet, _ ids: [ID], limit: Int) -> Command {
        Command(
            Statement(
                unchecked: """
                    DELETE FROM \(name) WHERE ctid = ANY (ARRAY(
                        SELECT ctid FROM \(name)
                        WHERE space_id = ANY ($1) AND EXISTS (
                            SELECT FROM sync.server WHERE \(spaces.isNotServed))
                        LIMIT \(limit)))
                    """), [.ids(ids)])
    }

    /// Deletes the spaces from the list of spaces, if the database serves none of them.
    package static func unlisting(_ spaces: SpaceSet) -> Command {
        Command(
            Statement(
                unchecked: """
                    DELETE FROM sync.directory WHERE \(spaces.contains("space")) AND EXISTS (
                        SELECT FROM sync.server WHERE \(spaces.isNotServed))
                    """))
    }

    /// Lists the spaces, and the changes that are held in them, as triggers do for rows that are not
    /// replicated.
    package static func enlisting(_ spaces: SpaceSet) -> [Command] {
        let isMoved = spaces.contains("space_id")
        return [
            """
            INSERT INTO sync.directory (app, space) SELECT app, space_id FROM sync.space WHERE \(isMoved)
            ON CONFLICT DO NOTHING
            """,
            "DELETE FROM sync.quarantine_directory WHERE \(spaces.contains("space"))",
            """
            INSERT INTO sync.quarantine_directory (id, app, space)
            SELECT id, app, space_id FROM sync.quarantine WHERE \(isMoved)
            """,
        ].map { Command(Statement(unchecked: $0)) }
    }

    /// Stores an epoch in those of the spaces that have none of their own, so that their cursors stay valid in a
    /// database with another epoch.
    package static func keeping(_ epoch: ID, in spaces: SpaceSet) -> Command {
        Command(
            Statement(
                unchecked: """
                    UPDATE sync.space SET epoch = $1 WHERE epoch IS NULL AND \(spaces.contains("space_id"))
                    """), [.id(epoch)])
    }
}
