import CPostgres
package import WireFormats

/// The rows that one command returned, in PostgreSQL's binary format, and the number of rows that it processed.
///
/// Rows and columns count from 0. Reading a column as a type that it does not have is a bug and stops the program. So
/// does reading NULL as a value: call `isNull` first, or use the `…IfPresent` forms.
///
/// If the columns' types come from a table, the statement declares the types that it reads (`Statement.columns`). Rows
/// with other types are then refused before they are read. Select `numeric` as `::text`, because no method here reads
/// it.
///
/// The manual, chapter 34.20: "PGresult objects are normally read-only after creation, and so can be passed around
/// freely between threads."
package final class Rows: @unchecked Sendable {
    private let result: OpaquePointer
    /// The number of rows that the command returned.
    package let count: Int
    package let columnCount: Int

    /// Takes ownership of `result`: no other code may read or clear it.
    init(taking result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        columnCount = Int(PQnfields(result))
    }

    deinit { PQclear(result) }

    /// The number of rows that INSERT, UPDATE, DELETE, MERGE or SELECT processed; 0 for other commands.
    package var affectedCount: Int {
        Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    /// The size of the result in libpq's memory, in bytes (manual, chapter 34.12, `PQresultMemorySize`).
    var memoryBytes: Int { PQresultMemorySize(result) }

    /// The command's tag, such as `INSERT 0 1` or `COMMIT`.
    var tag: String { String(cString: PQcmdStatus(result)) }

    /// The index of the column with this name in the result; `nil` if there is none.
    package func column(named name: String) -> Int? {
        let column = PQfnumber(result, name)
        return column < 0 ? nil : Int(column)
    }

    package func isNull(_ row: Int, _ column: Int) -> Bool {
        check(row, column)
        return PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    package func bool(_ row: Int, _ column: Int) -> Bool {
        expect(column, OID.bool)
        return cell(row, column, byteCount: 1)[0] != 0
    }

    /// Reads a `smallint`, `integer` or `bigint`, or an `oid`.
    package func int(_ row: Int, _ column: Int) -> Int64 {
        switch PQftype(result, Int32(column)) {
        case OID.int8: Int64(bitPattern: word(row, column))
        case OID.int4: Int64(cell(row, column, byteCount: 4).loadUnaligned(as: Int32.self).bigEndian)
        case OID.int2: Int64(cell(row, column, byteCount: 2).loadUnaligned(as: Int16.self).bigEndian)
        case OID.oid: Int64(cell(row, column, byteCount: 4).loadUnaligned(as: UInt32.self).bigEndian)
        case let oid: preconditionFailure("Column \(column) has type \(oid), not an integer.")
        }
    }

    /// Reads a `real` or `double precision`.
    package func double(_ row: Int, _ column: Int) -> Double {
        switch PQftype(result, Int32(column)) {
        case OID.float8: Double(bitPattern: word(row, column))
        case OID.float4:
            Double(Float(bitPattern: cell(row, column, byteCount: 4).loadUnaligned(as: UInt32.self).bigEndian))
        case let oid: preconditionFailure("Column \(column) has type \(oid), not a floating-point number.")
        }
    }

    package func id(_ row: Int, _ column: Int) -> ID {
        expect(column, OID.uuid)
        let bytes = cell(row, column, byteCount: 16)
        return ID(
            high: bytes.loadUnaligned(as: UInt64.self).bigEndian,
            low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian)
    }

    /// Reads a `timestamptz`, limited to the years from 1 to 9999: an earlier or later time, or an infinity, becomes
    /// the first or last moment of these years. SQL may have written such times, and the protocol's headers and texts
    /// have no form for them.
    package func timestamp(_ row: Int, _ column: Int) -> Timestamp {
        let (stored, range) = (storedTimestamp(row, column), Timestamp.wireRange)
        return min(max(stored, range.lowerBound), range.upperBound)
    }

    /// Reads a `timestamptz` of any year. PostgreSQL's infinities read as the first and the last `Timestamp`.
    package func storedTimestamp(_ row: Int, _ column: Int) -> Timestamp {
        expect(column, OID.timestamptz)
        return PostgresEpoch.timestamp(microseconds: Int64(bitPattern: word(row, column)))
    }

    /// Reads `text`, `varchar`, `name`, `json`, or any other type whose binary form is UTF-8.
    package func string(_ row: Int, _ column: Int) -> String {
        expect(column, OID.textual)
        return String(decoding: cell(row, column), as: UTF8.self)
    }

    /// Reads `bytea`, or the UTF-8 of text.
    package func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        expect(column, [OID.bytea] + OID.textual)
        return Array(cell(row, column))
    }

    /// Passes the value's bytes to the closure as they were received, whatever the column's type: big-endian numbers,
    /// UTF-8 text, UUID bytes. They are empty for NULL.
    package func withBytes<Value, Failure: Error>(
        _ row: Int, _ column: Int, _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body(bytes(row, column).assumingMemoryBound(to: UInt8.self).span)
    }

    /// Checks that the columns have the types that the statement declares.
    ///
    /// - Throws: `changedTable` if the columns are not those that the statement reads.
    func check(against statement: Statement) throws(PGError) {
        guard let columns = statement.columns else { return }
        // A table's row may have more columns than were declared, but never fewer.
        guard columns.count <= columnCount else {
            throw Rows.changed("Rows have \(columnCount) columns, not \(columns.count).", statement)
        }
        for (index, type) in columns.enumerated() {
            let oid = PQftype(result, Int32(index))
            if type.reads(oid) { continue }
            let name = PQfname(result, Int32(index)).map { String(cString: $0) } ?? "\(index + 1)"
            throw Rows.changed("Column \(name) has type \(oid) and is read as \(type.name).", statement)
        }
    }

    /// Returns the error for a column of an unexpected type, with the SQLSTATE of `datatype_mismatch`.
    private static func changed(_ message: String, _ statement: Statement) -> PGError {
        .changedTable(ServerReport(sqlState: "42804", message: message, sql: statement.sql))
    }

    /// The `pg_type.oid` of the column's type.
    package func oid(ofColumn column: Int) -> UInt32 {
        check(columnOnly: column)
        return PQftype(result, Int32(column))
    }
}

extension Rows {
    package func intIfPresent(_ row: Int, _ column: Int) -> Int64? {
        isNull(row, column) ? nil : int(row, column)
    }

    /// Reads a `bigint[]` of one dimension, without NULLs (`array_send` in arrayfuncs.c). Any other array reads as
    /// empty, and NULL as `nil`.
    package func intsIfPresent(_ row: Int, _ column: Int) -> [Int64]? {
        if isNull(row, column) { return nil }
        return withBytes(row, column) { bytes in
            func int32(at offset: Int) -> Int {
                (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
            }
            // The format: the number of dimensions, whether there are NULLs, the type; then for each dimension its
            // length and first index.
            guard bytes.count >= 20, int32(at: 0) == 1, int32(at: 4) == 0, bytes.count == 20 + 12 * int32(at: 12)
            else { return [] }
            return (0..<int32(at: 12)).map { index in
                let offset = 20 + 12 * index + 4
                return (0..<8).reduce(Int64(0)) { $0 << 8 | Int64(bytes[offset + $1]) }
            }
        }
    }

    package func stringIfPresent(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : string(row, column)
    }

    package func idIfPresent(_ row: Int, _ column: Int) -> ID? {
        isNull(row, column) ? nil : id(row, column)
    }

    package func timestampIfPresent(_ row: Int, _ column: Int) -> Timestamp? {
        isNull(row, column) ? nil : timestamp(row, column)
    }
}

extension Rows {
    private enum OID {
        static let bool: UInt32 = 16
        static let bytea: UInt32 = 17
        static let int8: UInt32 = 20
        static let int2: UInt32 = 21
        static let int4: UInt32 = 23
        static let oid: UInt32 = 26
        static let float4: UInt32 = 700
        static let float8: UInt32 = 701
        static let timestamptz: UInt32 = 1184
        static let uuid: UInt32 = 2950
        /// The object identifiers of the types whose binary form is their text: "char", name, text, json, unknown,
        /// bpchar and varchar.
        static let textual: [UInt32] = [25, 1043, 114, 19, 18, 705, 1042]
    }

    private func check(columnOnly column: Int) {
        precondition(column >= 0 && column < columnCount, "There is no column \(column) of \(columnCount).")
    }

    private func check(_ row: Int, _ column: Int) {
        precondition(row >= 0 && row < count, "There is no row \(row) of \(count).")
        check(columnOnly: column)
    }

    private func expect(_ column: Int, _ oid: UInt32) {
        let found = self.oid(ofColumn: column)
        precondition(found == oid, "Column \(column) has type \(found), which this cannot read.")
    }

    private func expect(_ column: Int, _ oids: [UInt32]) {
        let oid = oid(ofColumn: column)
        precondition(oids.contains(oid), "Column \(column) has type \(oid), which this cannot read.")
    }

    /// Returns the bytes of a value; empty for NULL. They are valid as long as `self` exists.
    private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        check(row, column)
        let length = Int(PQgetlength(result, Int32(row), Int32(column)))
        return UnsafeRawBufferPointer(start: PQgetvalue(result, Int32(row), Int32(column)), count: length)
    }

    /// The bytes of a value that is not NULL. They are valid as long as `self` exists.
    private func cell(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        let bytes: UnsafeRawBufferPointer = bytes(row, column)
        // NULL is checked only for empty values, because each check is a call.
        precondition(bytes.count > 0 || !isNull(row, column), "Row \(row), column \(column) is NULL.")
        return bytes
    }

    private func cell(_ row: Int, _ column: Int, byteCount: Int) -> UnsafeRawBufferPointer {
        let bytes = cell(row, column)
        precondition(bytes.count == byteCount, "Column \(column) has \(bytes.count) bytes, not \(byteCount).")
        return bytes
    }

    private func word(_ row: Int, _ column: Int) -> UInt64 {
        cell(row, column, byteCount: 8).loadUnaligned(as: UInt64.self).bigEndian
    }
}
