/// What the server said about an error, and the statement that it was about. Not for strangers, and only `logText` is
/// for a log: the message and detail may quote values.
///
/// Fields as in the manual, chapter 55.8 "Error and Notice Message Fields".
package struct ServerReport: Sendable, Hashable {
    /// Five characters of the manual's appendix A, such as `23505`.
    package let sqlState: String
    package let message: String
    package let detail: String?
    package let hint: String?
    package let constraint: String?
    /// What it was about, where the server says so: the table with its schema, the column.
    package let table: String?
    package let column: String?
    /// The function of PostgreSQL's own source that reported it.
    package let routine: String?
    /// Where in the statement the error is, in characters from 1.
    package let position: Int?
    /// The statement's text, without its values.
    package let sql: String

    package init(
        sqlState: String, message: String, detail: String? = nil, hint: String? = nil, constraint: String? = nil,
        table: String? = nil, column: String? = nil, routine: String? = nil, position: Int? = nil, sql: String = ""
    ) {
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.hint = hint
        self.constraint = constraint
        self.table = table
        self.column = column
        self.routine = routine
        self.position = position
        self.sql = sql
    }
}

extension ServerReport: CustomDebugStringConvertible {
    package var debugDescription: String {
        var text = "[\(sqlState)] \(message)"
        if let detail { text += " Detail: \(detail)" }
        if let hint { text += " Hint: \(hint)" }
        if !sql.isEmpty { text += " Statement: \(sql)" }
        return text
    }
}
