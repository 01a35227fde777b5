import BenchSupport
import CLibPQ

/// A libpq connection with its prepared statements.
final class Database {
    private let pointer: OpaquePointer

    init(_ string: String) throws {
        guard let pointer = PQconnectdb(string) else { throw Failure("libpq has no memory.") }
        self.pointer = pointer
        guard PQstatus(pointer) == CONNECTION_OK else { throw Failure(String(cString: PQerrorMessage(pointer))) }
    }

    deinit {
        PQfinish(pointer)
    }

    func run(script: String) throws {
        let result = PQexec(pointer, script)
        defer { PQclear(result) }
        try check(result)
    }

    /// Returns the first column of the only row.
    func text(_ sql: String) throws -> String {
        let result = PQexec(pointer, sql)
        defer { PQclear(result) }
        try check(result)
        return String(cString: PQgetvalue(result, 0, 0))
    }

    func prepare(_ sql: String) throws {
        let result = PQprepare(pointer, "it", sql, 0, nil)
        defer { PQclear(result) }
        try check(result)
    }

    /// Runs a prepared statement with values as text, and requests binary rows.
    ///
    /// - Returns: the number of rows, and the first column of the last one, a `bigint`.
    func execute(_ values: [CString]) throws -> (rows: Int, last: Int64) {
        let pointers = values.map { UnsafePointer($0.pointer) as UnsafePointer<CChar>? }
        let result = PQexecPrepared(pointer, "it", CInt(values.count), pointers, nil, nil, 1)
        defer { PQclear(result) }
        try check(result)
        let rows = PQntuples(result)
        guard rows > 0, let cell = PQgetvalue(result, rows - 1, 0), PQgetlength(result, rows - 1, 0) == 8 else {
            return (Int(rows), 0)
        }
        return (Int(rows), UnsafeRawPointer(cell).loadUnaligned(as: Int64.self).bigEndian)
    }

    private func check(_ result: OpaquePointer?) throws {
        let status = PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            throw Failure(String(cString: PQerrorMessage(pointer)))
        }
    }
}

/// A C string, parts of which may be overwritten.
final class CString {
    let pointer: UnsafeMutablePointer<CChar>

    init(_ text: String) {
        let bytes = Array(text.utf8CString)
        pointer = .allocate(capacity: bytes.count)
        pointer.initialize(from: bytes, count: bytes.count)
    }

    deinit {
        pointer.deallocate()
    }

    func overwrite(_ start: Int, with text: some Sequence<UInt8>) {
        var index = start
        for byte in text {
            pointer[index] = CChar(bitPattern: byte)
            index += 1
        }
    }
}
