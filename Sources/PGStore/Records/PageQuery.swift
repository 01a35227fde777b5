package import WireFormats

/// One version's statements for reading a space in the order of its numbers, composed once at start.
///
/// First the list of what comes next, out of the indexes of all the version's tables; then, from each table that has a
/// part in it, the columns that the version sees.
package struct PageQuery: Sendable {
    /// Returns `(seq, place in entities, whether the device brought it to this state itself)`.
    private let list: Statement
    /// In the order of `entities`.
    private let rows: [Statement]
    /// The entities that the version has, as places in `Hub.entities`.
    package let entities: [Int]

    /// Columns that every row statement returns before the attributes.
    package static let leadingColumns = 7

    package init(_ projections: [Projection], tables: [RecordTable]) {
        entities = projections.map(\.entity)
        // What is the device's own is only marked here: as a condition its selectivity is misjudged, and whole tables
        // are read and sorted where the index would give the first few in order.
        let parts = projections.enumerated().map { place, projection in
            """
            SELECT seq, \(place)::bigint AS place, \(PageQuery.own) AS own
                FROM \(tables[projection.entity].name) WHERE space_id = $1 AND seq > $2
            """
        }
        list = Statement(
            unchecked: """
                SELECT seq, place, own
                FROM (\(parts.joined(separator: "\n    UNION ALL "))) AS page
                ORDER BY seq
                LIMIT $5
                """)
        rows = projections.map { PageQuery.rowStatement($0, table: tables[$0.entity]) }
    }

    /// Whether the device itself brought the record to this state, having seen the one before.
    private static let own = "(device = $3 AND seen <= $2 AND since > $4) IS TRUE"

    private static func rowStatement(_ projection: Projection, table: RecordTable) -> Statement {
        let columns = projection.fields.map { RecordTable.selected(table.entity.columns[$0.column]) }
        let leading = ["seq", "id", "alive", "stamp", "stamps", "GREATEST(born, died)", "dangling"]
        return Statement(
            unchecked: """
                SELECT \((leading + columns).joined(separator: ", "))
                FROM \(table.name)
                WHERE space_id = $1 AND seq > $2 AND seq <= $5 AND NOT \(own)
                ORDER BY seq
                """)
    }

    /// The next `limit` numbers after `seq`, over all entities.
    package func listing(_ space: ID, after seq: Int64, device: ID?, origin: Int64, limit: Int) -> Command {
        Command(list, [.id(space), .int(seq), .id(device), .int(origin), .int(Int64(limit))])
    }

    /// The records of the entity at `place` with numbers after `seq` up to `last`.
    package func reading(
        _ place: Int, _ space: ID, after seq: Int64, through last: Int64, device: ID?, origin: Int64
    ) -> Command {
        Command(rows[place], [.id(space), .int(seq), .id(device), .int(origin), .int(last)])
    }
}
