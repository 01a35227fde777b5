package import Postgres
package import WireFormats

/// The statement that counts the living (not deleted) records of a space over all tables of an app.
package struct LivingCount: Sendable {
    private let statement: Statement

    package init(_ tables: [RecordTable]) {
        // Each part has an index's order and the limit; otherwise PostgreSQL may read the whole space first.
        let parts = tables.map { "(SELECT 1 FROM \($0.name) WHERE space_id = $1 AND alive ORDER BY seq LIMIT $2)" }
        // The union is a sub-select, because the union of a single table is no union, and may have no second LIMIT.
        let records = "(\(parts.joined(separator: " UNION ALL "))) AS records"
        statement = Statement(unchecked: "SELECT count(*) FROM (SELECT FROM \(records) LIMIT $2) AS living")
    }

    /// Counts the living records, but stops at `limit`, so that the cost depends on the limit and not on the size of
    /// the space. Returns `(count)`.
    package func counting(in space: ID, upTo limit: Int) -> Command {
        Command(statement, [.id(space), .int(Int64(limit))])
    }
}
