import BenchSQLite
import BenchSupport

/// Rows written to a SQLite file without any other work, as durable as a store: the minimum that a device could do.
final class PlainSQLite {
    /// A row of a store's table of records.
    struct Row {
        let texts: [String?]
        let numbers: [Int64]
    }

    private let handle: OpaquePointer
    private let insertion: OpaquePointer
    private static let columns = "entity, id, stamps, absent, fields, stamp, created, walk"

    init(path: String) throws {
        handle = try Self.open(path)
        try Self.run(
            handle,
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE record (
                entity TEXT NOT NULL, id TEXT NOT NULL, stamp INTEGER NOT NULL, created INTEGER NOT NULL,
                walk INTEGER NOT NULL, stamps TEXT, absent TEXT, fields TEXT, PRIMARY KEY (entity, id)) WITHOUT ROWID;
            """)
        insertion = try Self.prepare(
            handle, "INSERT OR REPLACE INTO record (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    }

    deinit {
        sqlite3_finalize(insertion)
        sqlite3_close_v2(handle)
    }

    /// Inserts rows in one transaction.
    func insert(_ rows: ArraySlice<Row>) throws {
        try Self.run(handle, "BEGIN IMMEDIATE")
        for row in rows {
            for (index, text) in row.texts.enumerated() {
                guard var text else {
                    sqlite3_bind_null(insertion, Int32(index + 1))
                    continue
                }
                text.withUTF8 { bytes in
                    _ = bytes.withMemoryRebound(to: CChar.self) {
                        sqlite3_bind_text(
                            insertion, Int32(index + 1), $0.baseAddress, Int32($0.count),
                            unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                    }
                }
            }
            for (index, number) in row.numbers.enumerated() {
                sqlite3_bind_int64(insertion, Int32(row.texts.count + index + 1), number)
            }
            guard sqlite3_step(insertion) == SQLITE_DONE else { throw Self.failure(handle) }
            sqlite3_reset(insertion)
        }
        try Self.run(handle, "COMMIT")
    }

    /// Returns all records of a store's file, in an order in which a server may send them: that of their pushes. The
    /// order of their ids would save SQLite most of its work.
    static func rows(of path: String) throws -> [Row] {
        let handle = try open(path)
        defer { sqlite3_close_v2(handle) }
        let statement = try prepare(handle, "SELECT \(columns) FROM record ORDER BY stamp, substr(id, -12)")
        defer { sqlite3_finalize(statement) }
        var rows: [Row] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                Row(
                    texts: (0..<5).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } },
                    numbers: (5..<8).map { sqlite3_column_int64(statement, $0) }))
        }
        return rows
    }

    private static func open(_ path: String) throws -> OpaquePointer {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else { throw Failure("\(path) cannot be opened.") }
        return handle
    }

    private static func prepare(_ handle: OpaquePointer, _ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw failure(handle)
        }
        return statement
    }

    private static func run(_ handle: OpaquePointer, _ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(handle) }
    }

    private static func failure(_ handle: OpaquePointer) -> Failure {
        Failure("SQLite: \(String(cString: sqlite3_errmsg(handle)))")
    }
}
