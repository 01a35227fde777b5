package import Postgres
package import WireFormats

/// One version's statements for reading a space in the order of its numbers, composed once at start.
///
/// Either from each table what its next numbers hold: no number is given twice, so that so many numbers never hold more
/// records. Or first the list of what comes next, out of the indexes of all the version's tables, and then, from each
/// table that has a part in it, the columns that the version sees.
package struct PageQuery: Sendable {
    /// Returns a `Listed` for each record.
    private let list: Statement
    /// In the order of `entities`.
    private let rows: [RowStatements]
    /// The entities that are read, as places in `Hub.entities`.
    package let entities: [Int]
    /// The most records that a list may have. To know how large JSON is, PostgreSQL must decompress it: at most this
    /// many times for a page, and a record has at most a megabyte of it.
    package let listedMax: Int

    private static let documentsListedMax = 256

    /// Whose page it is, and what counts as told already.
    package struct Reader: Sendable {
        package let space: ID
        /// The number that its cursor has reached.
        package let seq: Int64
        /// The numbers above `seq` that its device was acknowledged: of each range the first, and the first behind it,
        /// in ascending order.
        package let acknowledged: [Int64]

        package init(space: ID, seq: Int64, acknowledged: [Int64] = []) {
            (self.space, self.seq, self.acknowledged) = (space, seq, acknowledged)
        }
    }

    /// What reads an entity's rows; see `Row`.
    private struct RowStatements: Sendable {
        /// `stamp` is the latest of what other columns say of it, and `stamps` NULL where they say no more. Each value
        /// costs PostgreSQL some hundred instructions, whatever it is.
        let brief: Statement
        /// As they are stored, and behind the attributes `born` and `died`.
        let withStamps: Statement
        /// The same of a window, which ends early where the space's records are large.
        let briefWindow: Statement
        let windowWithStamps: Statement
    }

    /// A record of which a page may tell.
    package struct Listed: Sendable {
        package let seq: Int64
        /// Its entity, a position in `entities`.
        package let place: Int
        /// Whether the device holds it already.
        package let isHeld: Bool
        /// How many bytes there are to read of it.
        package let bytes: Int

        /// - Parameter rows: what `listing` returned.
        package static func all(_ rows: Rows) -> [Listed] {
            (0..<rows.count).map {
                Listed(
                    seq: rows.int($0, 0), place: Int(rows.int($0, 1)), isHeld: rows.bool($0, 2),
                    bytes: Int(rows.int($0, 3)))
            }
        }
    }

    /// The columns of an entity's rows: these five, `dangling` where it has references, and then the attributes.
    /// A record is written as JSON straight from its row, so there is no value that holds all of it. Where ids are
    /// texts, they are read as texts.
    package enum Row {
        package static func seq(_ rows: Rows, _ row: Int) -> Int64 { rows.int(row, 0) }
        package static func id(_ rows: Rows, _ row: Int) -> ID { rows.id(row, 1) }
        /// The column of the id.
        package static let id = 1
        package static func isAlive(_ rows: Rows, _ row: Int) -> Bool { rows.bool(row, 2) }
        package static func stamp(_ rows: Rows, _ row: Int) -> Stamp { Stamp(stored: rows.int(row, 3)) }
        /// The column of the packed stamps.
        package static let stamps = 4
        /// The column of the first attribute.
        package static func attributesStart(of entity: HubEntity) -> Int { entity.references.isEmpty ? 5 : 6 }
    }

    /// Reads everything that a version has.
    package init(_ projections: [Projection], tables: [RecordTable], app: String) {
        let sources = projections.map { Source(projection: $0, table: tables[$0.entity], condition: "") }
        self.init(sources, end: "", app: app)
    }

    /// Reads the living records that a widening names. Its list must be given where it ends.
    package init(_ widening: Widening, tables: [RecordTable], app: String) {
        let sources = widening.parts.map { part in
            let table = tables[part.projection.entity]
            return Source(
                projection: part.projection, table: table,
                condition: " AND alive" + part.records.condition(in: table.entity))
        }
        self.init(sources, end: " AND seq <= $5", app: app)
    }

    private struct Source {
        let projection: Projection
        let table: RecordTable
        /// What else than the space and the number decides.
        let condition: String

        /// The columns that the version reads and whose values may be long, each once.
        var longColumns: [HubEntity.Column] {
            let columns = table.entity.columns
            return Set(projection.fields.map(\.column)).sorted().map { columns[$0] }.filter(\.type.isLong)
        }
    }

    private init(_ sources: [Source], end: String, app: String) {
        entities = sources.map(\.projection.entity)
        let hasDocuments = sources.contains { $0.longColumns.contains { $0.type == .json } }
        listedMax = hasDocuments ? PageQuery.documentsListedMax : .max
        // What the device holds is only marked here: as a condition its selectivity is misjudged, and whole tables
        // are read and sorted where the index would give the first few in order. For the same reason each part has the
        // limit, too: a limit on the whole alone is not carried into the parts, and every page reads the space to its
        // end.
        let parts = sources.enumerated().map { place, source in
            """
            (SELECT seq, \(place)::bigint AS place, \(PageQuery.held) AS held,
                    \(SizeStatements.sum(source.longColumns.map(SizeStatements.size)))::bigint AS size
                FROM \(source.table.name) WHERE space_id = $1 AND seq > $2\(end)\(source.condition)
                ORDER BY seq LIMIT $4)
            """
        }
        list = Statement(
            unchecked: """
                SELECT seq, place, held, size
                FROM (\(parts.joined(separator: "\n    UNION ALL "))) AS page
                ORDER BY seq
                LIMIT $4
                """)
        rows = sources.map {
            RowStatements(
                brief: PageQuery.rowStatement($0, withStamps: false),
                withStamps: PageQuery.rowStatement($0, withStamps: true),
                briefWindow: PageQuery.rowStatement($0, withStamps: false, end: PageQuery.windowEnd(app: app)),
                windowWithStamps: PageQuery.rowStatement($0, withStamps: true, end: PageQuery.windowEnd(app: app)))
        }
    }

    /// Whether the device holds the record though it was not told of it: one of its pushes gave the number and left the
    /// record so (`RecordState.pusher`), and it was acknowledged that push. An odd number of bounds is at or below a
    /// number that lies in one of the ranges.
    private static let held = "(device IS NOT NULL AND width_bucket(seq, $3::bigint[]) % 2 = 1)"

    /// The last number of a window: `$4`, or less where more records would have more than `$5` bytes, were all as large
    /// as the largest. The same as `windowEnd(after:limit:bytesMax:in:)`.
    private static func windowEnd(app: String) -> String {
        // The numbers may be any, so the sum must not be greater than $4.
        Spaces.fromRecordSize(app: app) { "$2 + least($4 - $2, greatest(1, $5::bigint / greatest(1, \($0))))" }
    }

    /// Where the window ends that begins behind `seq`: its records have at most `bytesMax` together, but there is
    /// always one number in it.
    package static func windowEnd(after seq: Int64, limit: Int, bytesMax: Int, in space: SpaceState) -> Int64 {
        let start = start(after: seq, limit: limit)
        return start + min(Int64(limit), max(1, Int64(bytesMax) / max(1, space.recordSizeBytes)))
    }

    /// The number behind which a window of `limit` numbers begins. The cursor's is not checked yet, and may be any.
    private static func start(after seq: Int64, limit: Int) -> Int64 { min(seq, .max - Int64(limit)) }

    private static func rowStatement(_ source: Source, withStamps: Bool, end: String = "$4") -> Statement {
        let entity = source.table.entity
        let whole = entity.wholeStamps.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let stamps =
            withStamps
            ? ["stamp", "stamps"] : ["greatest(stamp, born, died)", "nullif(stamps, '\\x\(whole)'::bytea)"]
        let attributes = source.projection.fields.map { field in
            let column = entity.columns[field.column]
            return field.isTextReference
                ? NameTable.text(of: "r.\(quoted(column.name))") : RecordTable.selected(column)
        }
        let id = source.projection.identityType == .string ? NameTable.text(of: "r.id") : "id"
        let columns =
            ["seq", id, "alive"] + stamps + (entity.references.isEmpty ? [] : ["dangling"]) + attributes
            + (withStamps ? ["born", "died"] : [])
        let types: [SQLType] =
            [.int8, source.projection.identityType == .string ? .text : .uuid, .bool, .int8, .bytea]
            + (entity.references.isEmpty ? [] : [.int8])
            + source.projection.fields.map { field in
                field.isTextReference ? .text : RecordTable.selectedType(entity.columns[field.column])
            }
            + (withStamps ? [.int8, .int8] : [])
        return Statement(
            unchecked: """
                SELECT \(columns.joined(separator: ", "))
                FROM \(source.table.name) AS r
                WHERE space_id = $1 AND seq > $2 AND seq <= \(end) AND NOT \(held)\(source.condition)
                ORDER BY seq
                """,
            returning: types)
    }

    /// The next `limit` numbers after `seq`, over all entities; of a widening, up to `end`.
    package func listing(
        for reader: Reader, after seq: Int64, limit: Int, through end: Int64? = nil
    ) -> Command {
        Command(list, values(for: reader, after: seq, .int(Int64(limit))) + (end.map { [.int($0)] } ?? []))
    }

    /// The records of the entity at `place` with numbers after `seq` up to `last`.
    ///
    /// - Parameter withStamps: whether more than each record's latest stamp is asked for.
    package func reading(
        _ place: Int, for reader: Reader, after seq: Int64, through last: Int64, withStamps: Bool
    ) -> Command {
        Command(
            withStamps ? rows[place].withStamps : rows[place].brief, values(for: reader, after: seq, .int(last)))
    }

    /// The records of the entity at `place` in the window of `limit` numbers after `seq`, which ends early where the
    /// space's records are large; see `windowEnd`.
    package func readingWindow(
        _ place: Int, for reader: Reader, after seq: Int64, limit: Int, bytesMax: Int, withStamps: Bool
    ) -> Command {
        let start = PageQuery.start(after: seq, limit: limit)
        return Command(
            withStamps ? rows[place].windowWithStamps : rows[place].briefWindow,
            values(for: reader, after: start, .int(start + Int64(limit))) + [.int(Int64(bytesMax))])
    }

    private func values(for reader: Reader, after seq: Int64, _ bound: Parameter) -> [Parameter] {
        [.id(reader.space), .int(seq), .ints(reader.acknowledged), bound]
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
