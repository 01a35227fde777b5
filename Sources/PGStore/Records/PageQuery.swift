package import Postgres
package import WireFormats

/// The statements by which a device of one version reads a space in the order of its sequence numbers. They are
/// composed when the version is first used.
///
/// A page can be read in two ways:
///
/// - By a window: each table is read for the next `limit` sequence numbers. No number is given twice, so a window never
///   has more than `limit` records.
/// - By a list: the next records of all tables are listed first, without their values. Then the version's columns are
///   read from each table that occurs in the list.
package struct PageQuery: Sendable {
    /// Lists the next records of all entities. Each row of the result is parsed as a `Listed`.
    private let list: Statement
    /// The statements that read the rows of each entity, in the order of `entities`.
    private let rows: [RowStatements]
    /// The entities that these statements read, as indices in `Hub.entities`.
    package let entities: [Int]
    /// The largest number of records that can be listed at once. It is small if the version reads JSON: PostgreSQL must
    /// decompress the JSON of each listed record to know its size, and a record may have a megabyte of it.
    package let listedMax: Int

    private static let documentsListedMax = 256

    /// The device that reads a page, and the sequence numbers of the changes that it has already.
    package struct Reader: Sendable {
        package let space: ID
        /// The sequence number up to which the device has read, according to its cursor.
        package let seq: Int64
        /// The ranges of sequence numbers after `seq` whose changes the device already has, because it pushed them
        /// itself and received the answers. Each range is two elements: its first number, and the first number after
        /// it. The ranges are in ascending order.
        package let acknowledged: [Int64]

        package init(space: ID, seq: Int64, acknowledged: [Int64] = []) {
            (self.space, self.seq, self.acknowledged) = (space, seq, acknowledged)
        }
    }

    /// The statements that read the rows of one entity. `Row` describes the columns.
    private struct RowStatements: Sendable {
        /// Reads rows with the latest stamp of each record. `stamps` is null if all attributes have the same stamp;
        /// otherwise it contains their stamps. Each value that is not read saves PostgreSQL some hundred instructions.
        let brief: Statement
        /// Reads rows with the stamps of all attributes, in their stored form. After the attributes, two more columns
        /// have the stamps of the record's creation (`born`) and of its deletion (`died`).
        let withStamps: Statement
        /// Reads the rows in a range of sequence numbers (a window), with the latest stamp of each record. The window
        /// ends early if the space's records are large.
        let briefWindow: Statement
        let windowWithStamps: Statement
    }

    /// A record that may be sent on a page of a pull.
    package struct Listed: Sendable {
        package let seq: Int64
        /// The entity of the record, as an index in `PageQuery.entities`.
        package let source: Int
        /// True if the device already has the record from its own push, exactly as it is stored.
        package let isHeld: Bool
        /// The total size in bytes of those attributes of the record that the device's version has.
        package let bytes: Int

        /// Parses the records that the command `listing` returned.
        package static func all(_ rows: Rows) -> [Listed] {
            (0..<rows.count).map {
                Listed(
                    seq: rows.int($0, 0), source: Int(rows.int($0, 1)), isHeld: rows.bool($0, 2),
                    bytes: Int(rows.int($0, 3)))
            }
        }
    }

    /// The columns of the rows that are read for a page. Five columns with the record's state come first. If the entity
    /// has references, a bit mask of those whose targets are deleted follows (`dangling`). Then come the attributes.
    ///
    /// A record is written as JSON straight from its row, so no type represents a whole record. Ids that are texts in
    /// the version are read as texts.
    package enum Row {
        package static func seq(_ rows: Rows, _ row: Int) -> Int64 { rows.int(row, 0) }
        package static func id(_ rows: Rows, _ row: Int) -> ID { rows.id(row, 1) }
        /// The index of the record's id in a row.
        package static let id = 1
        package static func isAlive(_ rows: Rows, _ row: Int) -> Bool { rows.bool(row, 2) }
        package static func stamp(_ rows: Rows, _ row: Int) -> Stamp { Stamp(stored: rows.int(row, 3)) }
        /// The index of the column with the stamps of all attributes, packed into one value.
        package static let stamps = 4
        /// Returns the index of the first attribute's column in a row.
        package static func attributesStart(of entity: HubEntity) -> Int { entity.references.isEmpty ? 5 : 6 }
    }

    /// Composes the statements that read all entities and attributes of one version.
    package init(_ projections: [Projection], tables: [RecordTable], app: String) {
        let sources = projections.map { Source(projection: $0, table: tables[$0.entity], condition: "") }
        self.init(sources, end: "", app: app)
    }

    /// Composes the statements for a widening: the pull by which an updated app gets values that its older version
    /// could not read. The statements read living records only. The last sequence number of the widening must be given
    /// to `listing`.
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
        /// A further SQL condition on the records to read, such as ` AND alive`; empty if there is none.
        let condition: String

        /// The columns of texts, data and JSON that the version reads. A column that several attributes read occurs
        /// once.
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

    /// SQL that is true if the device already has the record from its own push, exactly as it is stored. `$3` contains
    /// the bounds of the ranges of sequence numbers that the device acknowledged. A record is in one of these ranges if
    /// the number of bounds up to its sequence number is odd.
    private static let held = "(device IS NOT NULL AND width_bucket(seq, $3::bigint[]) % 2 = 1)"

    /// Returns SQL for the last sequence number of a window, which is `$4` or less. It is less if the records up to
    /// `$4` could have more than `$5` bytes together. Each record is assumed to be as large as the space's largest.
    private static func windowEnd(app: String) -> String {
        // The numbers may have any value, so the sum must not exceed $4.
        Spaces.fromRecordSize(app: app) { "$2 + least($4 - $2, greatest(1, $5::bigint / greatest(1, \($0))))" }
    }

    /// Returns the last sequence number of a window: the range of sequence numbers after `seq` that is read at once. A
    /// window has at most `limit` numbers, and its records have at most `bytesMax` bytes together. A window of a single
    /// number may have more bytes.
    package static func windowEnd(after seq: Int64, limit: Int, bytesMax: Int, in space: SpaceState) -> Int64 {
        let start = start(after: seq, limit: limit)
        return start + min(Int64(limit), max(1, Int64(bytesMax) / max(1, space.recordSizeBytes)))
    }

    /// Returns the sequence number after which a window of `limit` numbers begins. It is `seq`, or less if adding
    /// `limit` to it would overflow. `seq` comes from a cursor that is not checked yet, so it may have any value.
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

    /// Lists the next `limit` records of all entities after the sequence number `seq`. Returns a `Listed` for each
    /// record.
    ///
    /// - Parameter end: the last sequence number to list; `nil` for no limit. A widening needs this limit: the pull by
    ///   which an updated app gets values that its older version could not read.
    package func listing(
        for reader: Reader, after seq: Int64, limit: Int, through end: Int64? = nil
    ) -> Command {
        Command(list, values(for: reader, after: seq, .int(Int64(limit))) + (end.map { [.int($0)] } ?? []))
    }

    /// Reads the records of the entity at `index` whose sequence numbers are after `seq` and up to `last`.
    ///
    /// - Parameter withStamps: true to read all stamps of each record, not only the latest.
    package func reading(
        _ index: Int, for reader: Reader, after seq: Int64, through last: Int64, withStamps: Bool
    ) -> Command {
        Command(
            withStamps ? rows[index].withStamps : rows[index].brief, values(for: reader, after: seq, .int(last)))
    }

    /// Reads the records of one entity whose sequence numbers are among the `limit` numbers after `seq`. The command
    /// reads fewer numbers if their records could have more than `bytesMax` bytes together.
    ///
    /// - Parameter index: the entity, as an index in `entities`.
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
    /// Returns the SQL condition for the records that a widening reads: the pull by which an updated app gets values
    /// that its older version could not read. The condition has the form ` AND (…)`; empty if all records are selected.
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
