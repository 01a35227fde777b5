/// An error of PostgreSQL's parser, with its position.
package struct SQLSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The message in the server's words: `syntax error at or near "selec"`.
    package let message: String
    /// The number of the line, from 1; `column` is the number of the character in the line, from 1.
    package let line: Int
    package let column: Int

    package init(message: String, line: Int, column: Int) {
        self.message = message
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column): \(message)" }
}
