import Postgres
import SQLText

/// How big a table is.
package struct TableExtent: Sendable, Hashable {
    /// With its indices and what is stored beside it.
    package let bytes: Int64
    /// About how many rows it has; `nil` where PostgreSQL has no statistics of it yet and it is not small.
    package let rows: Int64?

    /// What has no statistics is counted up to this size, which is the work of a moment.
    private static let countedBytesMax: Int64 = 64 << 20

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
