/// Why a script is no SQL: what PostgreSQL's parser says, and where.
package struct SQLSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// As the server says it: `syntax error at or near "selec"`.
    package let message: String
    /// Both from 1; the column counts characters.
    package let line: Int
    package let column: Int

    package init(message: String, line: Int, column: Int) {
        self.message = message
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column): \(message)" }
}
