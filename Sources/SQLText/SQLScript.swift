internal import StrictJSON

/// An SQL script, read by PostgreSQL's own parser: its statements with their actions, and its comments.
package struct SQLScript: Sendable, Hashable {
    package let text: String
    package let statements: [SQLStatement]
    package let comments: [SQLComment]

    /// Parses a script. Nothing is run, and no name is looked up: a script that parses may still fail.
    ///
    /// - Throws: an error at the first position where `text` is not valid SQL, or where PostgreSQL would read a name in
    ///   another way than it is written.
    package init(parsing text: String) throws(SQLSyntaxError) {
        let source = SourceText(text)
        let tokens = try PostgresParser.tokens(of: source)
        try NameCheck.check(tokens, of: source)
        let tree = try PostgresParser.tree(of: source, tokens)
        self.text = text
        comments = tokens.filter(\.isComment).map { source.comment($0) }
        let words = tokens.filter { !$0.isComment }
        var next = 0
        statements = tree.root.list("stmts").compactMap { statement in
            let start = Int(statement["stmt_location"]?.int64 ?? 0)
            let length = Int(statement["stmt_len"]?.int64 ?? 0)
            // A length of 0 belongs to the last statement without a semicolon.
            let end = length == 0 ? source.bytes.count : start + length
            while next < words.count, words[next].bytes.lowerBound < start { next += 1 }
            let first = next
            while next < words.count, words[next].bytes.upperBound <= end { next += 1 }
            guard let body = statement["stmt"], first < next else { return nil }
            let range = words[first].bytes.lowerBound..<words[next - 1].bytes.upperBound
            return SQLStatement(body, source, range)
        }
        for statement in statements {
            guard let fault = statement.body?.fault else { continue }
            throw SQLSyntaxError(message: fault, line: statement.line, column: 1)
        }
    }
}
