package import Postgres
package import WireFormats

/// The statements on `sync.name`, for one app. The table has the ids of records that are texts and not UUIDs, each with
/// the UUID (the key) under which the record is stored.
package struct NameTable: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// An id of a record that is a text and not a UUID, with the UUID (the key) under which the record is stored.
    package struct Name: Hashable, Sendable {
        package let key: ID
        /// The name of the record's table, as in `HubEntity.table`.
        package let table: String
        package let text: String

        package init(key: ID, table: String, text: String) {
            (self.key, self.table, self.text) = (key, table, text)
        }

        /// Parses the text ids that the command `reading` returned.
        package static func all(_ rows: Rows) -> [Name] {
            (0..<rows.count).map { Name(key: rows.id($0, 0), table: rows.string($0, 1), text: rows.string($0, 2)) }
        }
    }

    /// Reads the text ids of the records with the given keys. Returns a `Name` for each key that has a text id.
    package func reading(_ keys: some Sequence<ID>, in space: ID) -> Command {
        Command(NameTable.read, [.id(space), .ids(keys)])
    }

    private static let read = Statement(
        unchecked: "SELECT found.* FROM "
            + KeySearch("sync.name", by: "key", of: "$2", selecting: "key, entity, text").from)

    /// Stores text ids with the keys of their records. An id that is stored already stays unchanged.
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

    /// Returns SQL for a record's id as a text.
    ///
    /// - Parameter column: an SQL expression for the UUID under which the record is stored. If no text id is stored for
    ///   it, the result is the UUID itself.
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
