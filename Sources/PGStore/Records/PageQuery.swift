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
    /// The entities that are read, as places in `Hub.entities`.
    package let entities: [Int]

    /// Columns that every row statement returns before the attributes.
    package static let leadingColumns = 8

    /// Reads everything that a version has.
    package init(_ projections: [Projection], tables: [RecordTable]) {
        let sources = projections.map { Source(projection: $0, table: tables[$0.entity], condition: "") }
        self.init(sources, end: "")
    }

    /// Reads the living records that a widening names. Its list must be given where it ends.
    package init(_ widening: Widening, tables: [RecordTable]) {
        let sources = widening.parts.map { part in
            let table = tables[part.projection.entity]
            return Source(
                projection: part.projection, table: table,
                condition: " AND alive" + part.records.condition(in: table.entity))
        }
        self.init(sources, end: " AND seq <= $6")
    }

    private struct Source {
        let projection: Projection
        let table: RecordTable
        /// What else than the space and the number decides.
        let condition: String
    }

    private init(_ sources: [Source], end: String) {
        entities = sources.map(\.projection.entity)
        // What is the device's own is only marked here: as a condition its selectivity is misjudged, and whole tables
        // are read and sorted where the index would give the first few in order. For the same reason each part has the
        // limit, too: a limit on the whole alone is not carried into the parts, and every page reads the space to its
        // end.
        let parts = sources.enumerated().map { place, source in
            """
            (SELECT seq, \(place)::bigint AS place, \(PageQuery.own) AS own
                FROM \(source.table.name) WHERE space_id = $1 AND seq > $2\(end)\(source.condition)
                ORDER BY seq LIMIT $5)
            """
        }
        list = Statement(
            unchecked: """
                SELECT seq, place, own
                FROM (\(parts.joined(separator: "\n    UNION ALL "))) AS page
                ORDER BY seq
                LIMIT $5
                """)
        rows = sources.map { PageQuery.rowStatement($0) }
    }

    /// Whether the device itself brought the record to this state, having seen the one before.
    private static let own = "(device = $3 AND seen <= $2 AND since > $4) IS TRUE"

    private static func rowStatement(_ source: Source) -> Statement {
        let table = source.table
        let columns = source.projection.fields.map { RecordTable.selected(table.entity.columns[$0.column]) }
        let leading = ["seq", "id", "alive", "stamp", "stamps", "dangling", "born", "died"]
        return Statement(
            unchecked: """
                SELECT \((leading + columns).joined(separator: ", "))
                FROM \(table.name)
                WHERE space_id = $1 AND seq > $2 AND seq <= $5 AND NOT \(own)\(source.condition)
                ORDER BY seq
                """)
    }

    /// The next `limit` numbers after `seq`, over all entities; of a widening, up to `end`.
    package func listing(
        _ space: ID, after seq: Int64, device: ID?, origin: Int64, limit: Int, through end: Int64? = nil
    ) -> Command {
        let values: [Parameter] = [.id(space), .int(seq), .id(device), .int(origin), .int(Int64(limit))]
        return Command(list, values + (end.map { [.int($0)] } ?? []))
    }

    /// The records of the entity at `place` with numbers after `seq` up to `last`.
    package func reading(
        _ place: Int, _ space: ID, after seq: Int64, through last: Int64, device: ID?, origin: Int64
    ) -> Command {
        Command(rows[place], [.id(space), .int(seq), .id(device), .int(origin), .int(last)])
    }
}

extension Widening.Records {
    /// ` AND (…)`, or nothing for all records.
    fileprivate func condition(in entity: HubEntity) -> String {
        switch self {
        case .all: ""
        case .whereAny(let tests):
            " AND (\(tests.map { $0.condition(in: entity) }.joined(separator: " OR ")))"
        }
    }
}

extension Widening.Test {
    fileprivate func condition(in entity: HubEntity) -> String {
        switch self {
        case .isNull(let column): return "\(quoted(entity.columns[column].name)) IS NULL"
        case .isNoneOf(let column, let texts):
            let list = texts.map(quotedLiteral).joined(separator: ", ")
            return "\(quoted(entity.columns[column].name)) <> ALL (ARRAY[\(list)]::text[])"
        case .differs(let column, let value):
            let name = quoted(entity.columns[column].name)
            switch value {
            case .null: return "\(name) IS NOT NULL"
            case .bool(let value): return "\(name) IS DISTINCT FROM \(value)"
            case .int(let value): return "\(name) IS DISTINCT FROM \(quotedLiteral("\(value)"))::bigint"
            case .double(let value):
                return "\(name) IS DISTINCT FROM \(quotedLiteral("\(value)"))::double precision"
            case .string(let value): return "\(name) IS DISTINCT FROM \(quotedLiteral(value))"
            // As text, because `json` has no equality, and 1.0 is sent otherwise than 1.
            case .decimal(let value): return "\(name)::text IS DISTINCT FROM \(quotedLiteral(value.text))"
            case .json(let text): return "\(name)::text IS DISTINCT FROM \(quotedLiteral(text))"
            // No default is one of these.
            case .date, .uuid, .data: return "true"
            }
        }
    }
}
