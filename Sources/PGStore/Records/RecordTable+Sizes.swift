package import Postgres
package import WireFormats

// The size of records, and reading them without large values.
extension RecordTable {
    /// The size in bytes above which `selecting(_:in:needed:)` may leave out a value. Reading a smaller value costs
    /// less than leaving it out.
    package static let withheldMinBytes = 512

    /// Reads the complete records with these ids, unless they could have more than `bytesMax` bytes together. Each
    /// record is assumed to be as large as the space's largest. If the sum is too large, the command returns no row. A
    /// single record is always read.
    package func selectingIfSmall(_ ids: [ID], in space: ID, bytesMax: Int) -> Command {
        if ids.count == 1 { return selecting(ids, in: space) }
        return Command(
            sizes.selectIfSmall, [.id(space), .ids(ids.withoutRepeats), .int(Int64(ids.count)), .int(Int64(bytesMax))])
    }

    /// Returns true if `count` records of the space can be read at once by `selectingIfSmall`: they cannot have more
    /// than `bytesMax` bytes together. A single record can always be read.
    package static func areSmall(_ count: Int, in space: SpaceState, bytesMax: Int) -> Bool {
        count <= 1 || Int64(count) * space.recordSizeBytes <= Int64(bytesMax)
    }

    /// Reads the records with these ids, but leaves out large values that are not needed.
    ///
    /// - Parameter needed: the columns whose values are read even if they are large, as a bit mask like
    ///   `RecordState.withheld`.
    package func selecting(_ ids: [ID], in space: ID, needed: UInt64) -> Command {
        Command(sizes.selectWithholding, [.id(space), .ids(ids.withoutRepeats), .int(Int64(bitPattern: needed))])
    }

    /// Reads the total size in bytes of the values in the columns `needed` (a bit mask) of the records with these ids.
    package func measuring(_ ids: [ID], in space: ID, needed: UInt64) -> Command {
        Command(sizes.measure, [.id(space), .ids(ids.withoutRepeats), .int(Int64(bitPattern: needed))])
    }

    /// Reads the largest sum of bytes that a record of the space has in its texts, data and JSON; null if the space has
    /// no record.
    package func measuringLargest(in space: ID) -> Command {
        Command(sizes.measureLargest, [.id(space)])
    }

    /// Reads the number of the space's living records, and the bytes of their values. The bytes are counted by the same
    /// rules as in `Value.sizeBytes`.
    package func countingLiving(in space: ID) -> Command {
        Command(sizes.countLiving, [.id(space)])
    }

    /// The most bytes that a record can have in columns other than texts, data and JSON: in numbers, dates and ids, and
    /// in decimals, each of which has at most a thousand digits, a point and a sign.
    package var otherBytesMax: Int64 {
        entity.columns.reduce(0) {
            $0 + ($1.type.isLong ? 0 : $1.type == .numeric ? Int64(DecimalText.digitsMax) + 2 : 16)
        }
    }

    /// Reads the references of each record with one of these ids, as a `ReferencesRow`.
    package func selectingReferences(_ ids: some Sequence<ID>, in space: ID) -> Command {
        Command(selectReferences, [.id(space), .ids(Array(ids).withoutRepeats)])
    }
}

/// The statements that measure records, or that read them depending on their size. They are composed once, when the
/// server starts.
struct SizeStatements: Sendable {
    let selectIfSmall: Statement
    let selectWithholding: Statement
    let measure: Statement
    let measureLargest: Statement
    let countLiving: Statement

    /// - Parameter app: the app's name, which is also the name of its tables' schema.
    init(table: String, app: String, entity: HubEntity) {
        func known(_ selected: String) -> String { KeySearch(table, by: "id", selecting: selected).from }
        let columns = entity.columns.map { RecordTable.selected($0) }
        let selected = (RecordTable.stateColumns + columns).joined(separator: ", ")
        // The condition names no column, so it is evaluated once, before the search for any record.
        selectIfSmall = Statement(
            unchecked: """
                SELECT found.* FROM \(known(selected))
                WHERE \(Spaces.fromRecordSize(app: app) { "\($0) * $3::bigint <= $4::bigint" })
                """,
            returning: RecordTable.selectedTypes(of: entity))
        let sizes = entity.largeColumns.map { SizeStatements.size(of: entity.columns[$0]) }
        let bits = entity.largeColumns.map { "\(Int64(bitPattern: entity.largeBits[$0]))::bigint" }
        let needed = zip(sizes, bits).map { size, bit in "CASE WHEN $3::bigint & \(bit) <> 0 THEN \(size) ELSE 0 END" }
        measure = Statement(
            unchecked: """
                SELECT coalesce(sum(found.size), 0)::bigint
                FROM \(known("\(SizeStatements.sum(needed)) AS size"))
                """)
        let all = SizeStatements.sum(entity.columns.filter(\.type.isLong).map(SizeStatements.size))
        measureLargest = Statement(
            unchecked: "SELECT max(\(all))::bigint FROM \(table) WHERE space_id = $1")
        let values = SizeStatements.sum(entity.columns.map(SizeStatements.valueSize))
        countLiving = Statement(
            unchecked: """
                SELECT count(*), coalesce(sum(\(values)), 0)::bigint FROM \(table) WHERE space_id = $1 AND alive
                """)

        // Each size is computed once: the order of a search keeps the planner from copying the expressions to where
        // they are used.
        let measured = zip(entity.largeColumns, sizes).map { "\($1) AS \(quoted("size \($0)"))" }
        let isLeftOut = zip(entity.largeColumns, bits).map { column, bit in
            "\(quoted("size \(column)")) > \(RecordTable.withheldMinBytes) AND $3::bigint & \(bit) = 0"
        }
        let selectedValues = entity.columns.indices.map { column in
            guard let index = entity.largeColumns.firstIndex(of: column) else { return columns[column] }
            return "CASE WHEN \(isLeftOut[index]) THEN NULL ELSE \(columns[column]) END"
        }
        let withheld = zip(isLeftOut, bits).map { "CASE WHEN \($0) THEN \($1) ELSE 0 END" }
        let withheldBytes = zip(isLeftOut, entity.largeColumns).map { isLeftOut, column in
            "CASE WHEN \(isLeftOut) THEN \(quoted("size \(column)")) ELSE 0 END"
        }
        selectWithholding = Statement(
            unchecked: """
                SELECT \((RecordTable.stateColumns + selectedValues).joined(separator: ", ")),
                    (\(withheld.isEmpty ? "0" : withheld.joined(separator: " | ")))::bigint,
                    (\(SizeStatements.sum(withheldBytes)))::bigint
                FROM \(known((["*"] + measured).joined(separator: ", ")))
                """,
            returning: RecordTable.selectedTypes(of: entity) + [.int8, .int8])
    }

    static func sum(_ terms: [String]) -> String {
        terms.isEmpty ? "0" : terms.joined(separator: " + ")
    }

    /// Returns SQL for the size of a column's value in bytes, by the same rules as `Value.sizeBytes`.
    static func valueSize(of column: HubEntity.Column) -> String {
        let name = quoted(column.name)
        if column.type.isLong { return size(of: column) }
        let bytes =
            switch column.type {
            case .numeric: "octet_length(\(name)::text)"
            case .boolean: "1"
            case .uuid: "16"
            default: "8"
            }
        return "CASE WHEN \(name) IS NULL THEN 0 ELSE \(bytes) END"
    }

    /// Returns SQL for the size in bytes of the value in a column of texts, data or JSON; 0 for null. For text and
    /// data, PostgreSQL knows the size without reading the value.
    static func size(of column: HubEntity.Column) -> String {
        let name = quoted(column.name)
        return "coalesce(octet_length(\(column.type == .json ? "\(name)::text" : name)), 0)::bigint"
    }
}
