package import Postgres
package import WireFormats

/// The statements on `sync.name`, for one app. The table has the ids of records that are texts and not UUIDs, each with
/// the UUID (the key) under which the record is stored.
package struct NameTable: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// The id of a record that is a text, and the key (a UUID) under which the record is stored.
    package struct Name: Hashable, Sendable {
        package let key: ID
        /// The name of the record's table, as in `HubEntity.table`.
        package let table: String
        package let text: String

        package init(key: ID, table: String, text: String) {
            (self.key, self.table, self.text) = (key, table, text)
        }

        /// Parses the rows that the command `reading` returned.
        package static func all(_ rows: Rows) -> [Name] {
            (0..<rows.count).map { Name(key: rows.id($0, 0), table: rows.string($0, 1), text: rows.string($0, 2)) }
        }
    }

    /// Reads a `Name` for each of the given keys for which one is stored.
    package func reading(_ keys: some Sequence<ID>, in space: ID) -> Command {
        Command(NameTable.read, [.id(space), .ids(keys)])
    }

    private static let read = Statement(
        unchecked: "SELECT found.* FROM "
            + KeySearch("sync.name", by: "key", of: "$2", selecting: "key, entity, text").from)

    /// Stores names. If a name is stored already, it stays unchanged.
    package func adding(_ names: [Name], in space: ID) -> Command {
        Command(
            NameTable.add,
            [
                .id(space), .text(app), .ids(names.map(\.key)), .texts(names.map(\.table)), .texts(names.map(\.text)),
            ])
    }

    private static let add: Statement = """
        INSERT INTO sync.name (space_id, app, key, entity, text)
        SELECT $1, $2, key, entity, text FROM unnest($3::uuid[], $4::text[], $5::text[]) AS wanted (key, entity, text)
        ON CONFLICT DO NOTHING
        """

    /// Returns SQL for the text of the id whose record has the key `column` (an SQL expression). If the key has no name
    /// in the table, its UUID is the text of the id.
    static func text(of column: String) -> String {
        """
        coalesce((
            SELECT n.text FROM sync.name AS n
            WHERE n.space_id = \(RecordTable.space) AND n.key >= \(column) AND n.key <= \(column)
            ORDER BY n.key LIMIT 1
        ), \(column)::text)
        """
    }
}
