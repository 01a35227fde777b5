package import Postgres
package import WireFormats

/// The statements of one version that read a space in the order of its sequence numbers, composed when the version is
/// first used.
///
/// There are two ways to read a page. The first reads a window, the next `limit` numbers, from each table: as no number
/// is given twice, a window never has more than `limit` records. The second reads a list of the next records from the
/// indexes of all the version's tables. Then it reads, from each table that occurs in the list, the columns that the
/// version sees.
package struct PageQuery: Sendable {
    /// Returns a `Listed` for each record.
    private let list: Statement
    /// The statements that read rows, in the order of `entities`.
    private let rows: [RowStatements]
    /// The entities that are read, as indices in `Hub.entities`.
    package let entities: [Int]
    /// The most records that a list may have. It is limited because PostgreSQL must decompress JSON to know its size,
    /// for each listed record, and a record may have a megabyte of JSON.
    package let listedMax: Int

    private static let documentsListedMax = 256

    /// The device that reads a page, with the sequence numbers whose records it has already.
    package struct Reader: Sendable {
        package let space: ID
        /// The sequence number up to which the device has read, according to its cursor.
        package let seq: Int64
        /// The ranges of sequence numbers above `seq` that the device's own pushes were given and whose answers it has
        /// received. Each range is two elements, its first number and the first number after it, in ascending order.
        package let acknowledged: [Int64]

        package init(space: ID, seq: Int64, acknowledged: [Int64] = []) {
            (self.space, self.seq, self.acknowledged) = (space, seq, acknowledged)
        }
    }

    /// The statements that read an entity's rows; see `Row`.
    private struct RowStatements: Sendable {
        /// Reads rows without the stamps of single attributes: `stamp` is the latest of a record's stamps, and `stamps`
        /// is NULL if that is enough. Fewer values are read because each costs PostgreSQL some hundred instructions,
        /// whatever it is.
        let brief: Statement
        /// Reads rows with all stamps as they are stored; the created and the deleted stamp (`born` and `died`) follow
        /// the attributes.
        let withStamps: Statement
        /// As `brief`, for a window (a range of sequence numbers), which ends early if the space's records are large.
        let briefWindow: Statement
        let windowWithStamps: Statement
    }

    /// A record that a page may contain.
    package struct Listed: Sendable {
        package let seq: Int64
        /// The record's entity, as an index in `entities`.
        package let source: Int
        /// True if the device has the record already, as it is stored.
        package let isHeld: Bool
        /// The bytes of the record's values that are read.
        package let bytes: Int

        /// - Parameter rows: the result of `listing`.
        package static func all(_ rows: Rows) -> [Listed] {
            (0..<rows.count).map {
                Listed(
                    seq: rows.int($0, 0), source: Int(rows.int($0, 1)), isHeld: rows.bool($0, 2),
                    bytes: Int(rows.int($0, 3)))
            }
        }
    }

    /// The columns of an entity's rows: these five, `dangling` if the entity has references, and then the attributes. A
    /// record is written as JSON straight from its row, so no type holds a whole record. Where ids are texts, they are
    /// read as texts.
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

    /// Composes the statements that read everything that a version sees.
    package init(_ projections: [Projection], tables: [RecordTable], app: String) {
        let sources = projections.map { Source(projection: $0, table: tables[$0.entity], condition: "") }
        self.init(sources, end: "", app: app)
    }

    /// Composes the statements for a widening (the pull of what an updated app's older version could not see), which
    /// reads living records only. Its list must be given the sequence number at which the widening ends.
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
        /// The condition besides the space and the number.
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
        // Records that the device holds are only marked here. As a condition, their selectivity is misjudged, and whole
        // tables are read and sorted, although the index would give the first few rows in order. For the same reason
        // each part has the limit, too: PostgreSQL does not carry a limit on the whole into the parts, and every page
        // would read the space to its end.
        let parts = sources.enumerated().map { index, source in
            """
            (SELECT seq, \(index)::bigint AS place, \(PageQuery.held) AS held,
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

    /// SQL that is true if the device has the record although it was not sent it. That is the case if one of its pushes
    /// gave the record its number and left it exactly as the device has it (`RecordState.pusher`), and the device
    /// received the answer to that push. A number lies in one of the ranges if an odd number of their bounds is less
    /// than or equal to it.
    private static let held = "(device IS NOT NULL AND width_bucket(seq, $3::bigint[]) % 2 = 1)"

    /// SQL for the last sequence number of a window: `$4`, or a lower number if more records could exceed `$5` bytes,
    /// assuming that all are as large as the space's largest record. The result is the same as that of
    /// `windowEnd(after:limit:bytesMax:in:)`.
    private static func windowEnd(app: String) -> String {
        // The numbers may have any value, so the sum must not exceed $4.
        Spaces.fromRecordSize(app: app) { "$2 + least($4 - $2, greatest(1, $5::bigint / greatest(1, \($0))))" }
    }

    /// Returns the last sequence number of the window that begins after `seq`. The records of the window have at most
    /// `bytesMax` bytes together, but the window always has at least one number.
    package static func windowEnd(after seq: Int64, limit: Int, bytesMax: Int, in space: SpaceState) -> Int64 {
        let start = start(after: seq, limit: limit)
        return start + min(Int64(limit), max(1, Int64(bytesMax) / max(1, space.recordSizeBytes)))
    }

    /// Returns the sequence number after which a window of `limit` numbers begins. It is limited so that additions
    /// cannot overflow, because the cursor's number is not checked yet and may have any value.
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

    /// Lists the next `limit` records after the sequence number `seq`, over all entities; for a widening, up to the
    /// number `end`. Returns `Listed` for each.
    package func listing(
        for reader: Reader, after seq: Int64, limit: Int, through end: Int64? = nil
    ) -> Command {
        Command(list, values(for: reader, after: seq, .int(Int64(limit))) + (end.map { [.int($0)] } ?? []))
    }

    /// Reads the records of the entity at `index` with numbers after `seq` up to `last`.
    ///
    /// - Parameter withStamps: true to read all stamps of each record, not only the latest.
    package func reading(
        _ index: Int, for reader: Reader, after seq: Int64, through last: Int64, withStamps: Bool
    ) -> Command {
        Command(
            withStamps ? rows[index].withStamps : rows[index].brief, values(for: reader, after: seq, .int(last)))
    }

    /// Reads the records of the entity at `index` in the window of `limit` numbers after `seq`, which ends early
    /// if the space's records are large; see `windowEnd`.
    package func readingWindow(
        _ index: Int, for reader: Reader, after seq: Int64, limit: Int, bytesMax: Int, withStamps: Bool
    ) -> Command {
        let start = PageQuery.start(after: seq, limit: limit)
        return Command(
            withStamps ? rows[index].windowWithStamps : rows[index].briefWindow,
            values(for: reader, after: start, .int(start + Int64(limit))) + [.int(Int64(bytesMax))])
    }

    private func values(for reader: Reader, after seq: Int64, _ bound: Parameter) -> [Parameter] {
        [.id(reader.space), .int(seq), .ints(reader.acknowledged), bound]
    }
}

extension Widening.Records {
    /// SQL for the condition on the records, ` AND (…)`; empty for all records.
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
            // Compared as text, because `json` has no equality, and 1.0 is sent differently from 1.
            case .decimal(let value): return "\(name)::text IS DISTINCT FROM \(quotedLiteral(value.text))"
            case .json(let text): return "\(name)::text IS DISTINCT FROM \(quotedLiteral(text))"
            // No default has one of these types.
            case .date, .uuid, .data: return "true"
            }
        }
    }
}
