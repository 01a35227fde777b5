import Postgres
import SQLText

/// The size of a table.
package struct TableExtent: Sendable, Hashable {
    /// The size on disk, in bytes, with the indices and the values that are stored out of line.
    package let bytes: Int64
    /// An estimate of the number of rows; `nil` if the table is large and PostgreSQL has no statistics of it yet.
    package let rows: Int64?

    /// The size, in bytes, up to which the rows of a table without statistics are counted. Counting a larger one takes
    /// long.
    private static let countedBytesMax: Int64 = 64 << 20

    /// Reads the size of a table.
    ///
    /// - Returns: `nil` if there is no such table, index or view.
    static func read(_ name: SQLName, _ session: isolated Session) throws(PGError) -> TableExtent? {
        let found = try session.execute(
            Command(
                """
                SELECT c.reltuples::bigint, pg_total_relation_size(c.oid), c.relkind IN ('r', 'm')
                FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relname = $2
                """, [.text(name.schema ?? "public"), .text(name.name)]))
        guard found.count > 0 else { return nil }
        let (rows, bytes) = (found.int(0, 0), found.int(0, 1))
        if rows >= 0 { return TableExtent(bytes: bytes, rows: rows) }
        guard found.bool(0, 2), bytes <= countedBytesMax else { return TableExtent(bytes: bytes, rows: nil) }
        let parts = try [name.schema ?? "public", name.name].map { part throws(PGError) in
            try session.quotedIdentifier(part)
        }
        let count = Statement(unchecked: "SELECT count(*) FROM \(parts.joined(separator: "."))")
        return TableExtent(bytes: bytes, rows: try session.execute(Command(count)).int(0, 0))
    }
}
