internal import CPgQuery
internal import StrictJSON
internal import Synchronization

/// The parser of PostgreSQL 15, extracted from the server (libpg_query). No other code calls that library.
enum PostgresParser {
    /// A lock that allows one call of the library at a time. The library is not thread-safe: it stores a thread key in
    /// a global variable, and may redirect the standard error of the process during a call.
    private static let turn = Mutex(())

    /// The maximum depth of a tree that is read, because reading is recursive. No tree of a migration that a person has
    /// written is as deep.
    private static let depthMax = 1024

    /// The maximum number of words in a statement. The parser's library writes the parse tree by recursion, without
    /// checking the stack. A sum of 100,000 operands overflows a stack of 8 MiB; a sum of 50,000 does not.
    private static let wordsMax = 50_000

    /// Returns the parse tree: `{"version": …, "stmts": [{"stmt": {"SelectStmt": …}, "stmt_location": …, "stmt_len":
    /// …}]}`.
    ///
    /// - Parameter tokens: the tokens of the same text.
    static func tree(of source: SourceText, _ tokens: [SQLToken]) throws(SQLSyntaxError) -> JSONDocument {
        var words = 0
        for token in tokens where !token.isComment {
            words = token.isSemicolon ? 0 : words + 1
            guard words <= wordsMax else {
                throw SQLSyntaxError(
                    message: "a statement of more than \(wordsMax) words",
                    line: source.line(of: token.bytes.lowerBound),
                    column: 1)
            }
        }
        let json = try call(source) { script throws(SQLSyntaxError) in
            let result = pg_query_parse(script)
            defer { pg_query_free_parse_result(result) }
            if let error = result.error { throw syntaxError(error.pointee, source) }
            return String(cString: result.parse_tree)
        }
        do {
            return try JSONDocument(parsing: json, limits: JSONDocument.Limits(depthMax: depthMax))
        } catch {
            throw SQLSyntaxError(message: "the statements nest too deeply to be read (\(error))", line: 1, column: 1)
        }
    }

    /// Returns the words and comments, in their order.
    static func tokens(of source: SourceText) throws(SQLSyntaxError) -> [SQLToken] {
        try call(source) { script throws(SQLSyntaxError) in
            let result = pg_query_scan(script)
            defer { pg_query_free_scan_result(result) }
            if let error = result.error { throw syntaxError(error.pointee, source) }
            return SQLToken.tokens(
                in: UnsafeRawBufferPointer(start: result.pbuf.data, count: result.pbuf.len), of: source.bytes)
        }
    }

    /// Calls `body` with the script as a C string. Other threads cannot call the parser's library meanwhile.
    private static func call<Value: Sendable>(
        _ source: SourceText, _ body: (UnsafePointer<CChar>) throws(SQLSyntaxError) -> Value
    ) throws(SQLSyntaxError) -> Value {
        if let zero = source.bytes.firstIndex(of: 0) {
            let characters = source.bytes[..<zero].count { $0 & 0xC0 != 0x80 }
            throw source.error("a U+0000 in the text, which PostgreSQL does not take", position: characters + 1)
        }
        let terminated = source.bytes.map { CChar(bitPattern: $0) } + [0]
        let result: Result<Value, SQLSyntaxError> = turn.withLock { _ in
            terminated.withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress else { preconditionFailure("An array of a byte has an address.") }
                do throws(SQLSyntaxError) {
                    return .success(try body(start))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    private static func syntaxError(_ error: PgQueryError, _ source: SourceText) -> SQLSyntaxError {
        source.error(error.message.map { String(cString: $0) } ?? "syntax error", position: Int(error.cursorpos))
    }
}
