#if canImport(CSQLite)
    internal import CSQLite
#else
    internal import SQLite3
#endif

/// A connection to a SQLite file. It prepares each statement once. It must not be used by two threads at a time.
final class SQLiteDatabase {
    /// A value that is bound to a statement's parameter.
    enum Binding {
        case null
        case int(Int64)
        case text(String)

        init(_ text: String?) { self = text.map(Binding.text) ?? .null }
    }

    /// A row of a result. Columns count from 0.
    struct Row {
        fileprivate let statement: OpaquePointer

        func int(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func text(_ column: Int32) -> String? {
            guard let start = sqlite3_column_text(statement, column) else { return nil }
            let count = Int(sqlite3_column_bytes(statement, column))
            return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        }

        /// Passes the UTF-8 bytes of a text column to `body`. Returns `nil` if the column is null.
        func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R? {
            guard let start = sqlite3_column_text(statement, column) else { return nil }
            return try body(
                UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }
    }

    private let handle: OpaquePointer
    private var prepared: [String: OpaquePointer] = [:]
    private let path: String

    /// Opens the file, or creates it.
    ///
    /// - Parameter isReader: true for a connection that only reads; then the file must exist.
    /// - Throws: `SyncStoreError`.
    init(path: String, isReader: Bool = false) throws(SyncStoreError) {
        var handle: OpaquePointer?
        let flags =
            (isReader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let text = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw SyncStoreError(code, text, path)
        }
        self.handle = handle
        self.path = path
        sqlite3_extended_result_codes(handle, 1)
        // Another process of the app, such as an extension, may write meanwhile.
        sqlite3_busy_timeout(handle, 5_000)
    }

    deinit {
        for statement in prepared.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs statements that have no parameters.
    func execute(_ sql: String) throws(SyncStoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    func run(_ sql: String, _ bindings: Binding...) throws(SyncStoreError) {
        let statement = try bound(sql, bindings)
        defer { sqlite3_reset(statement) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
    }

    /// Runs a statement, and calls `body` with each row of its result. `body` may run other statements, but not the
    /// same one.
    func forEach(_ sql: String, _ bindings: Binding..., body: (Row) throws -> Void) throws {
        let statement = try bound(sql, bindings)
        defer { sqlite3_reset(statement) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            try body(Row(statement: statement))
        }
    }

    func first<Result>(_ sql: String, _ bindings: Binding..., body: (Row) throws -> Result) throws -> Result? {
        let statement = try bound(sql, bindings)
        defer { sqlite3_reset(statement) }
        let code = sqlite3_step(statement)
        if code == SQLITE_DONE { return nil }
        guard code == SQLITE_ROW else { throw failure(code) }
        return try body(Row(statement: statement))
    }

    private func bound(_ sql: String, _ bindings: [Binding]) throws(SyncStoreError) -> OpaquePointer {
        let statement = try statement(sql)
        for (index, binding) in bindings.enumerated() {
            let position = Int32(index + 1)
            let code =
                switch binding {
                case .null: sqlite3_bind_null(statement, position)
                case .int(let value): sqlite3_bind_int64(statement, position, value)
                case .text(var text):
                    text.withUTF8 { bytes in
                        bytes.withMemoryRebound(to: CChar.self) {
                            // SQLITE_TRANSIENT: SQLite copies the bytes.
                            sqlite3_bind_text64(
                                statement, position, $0.baseAddress, UInt64($0.count),
                                unsafeBitCast(-1, to: sqlite3_destructor_type.self), UInt8(SQLITE_UTF8))
                        }
                    }
                }
            guard code == SQLITE_OK else { throw failure(code) }
        }
        return statement
    }

    private func statement(_ sql: String) throws(SyncStoreError) -> OpaquePointer {
        if let statement = prepared[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        prepared[sql] = statement
        return statement
    }

    private func failure(_ code: Int32) -> SyncStoreError {
        SyncStoreError(code, String(cString: sqlite3_errmsg(handle)), path)
    }
}
