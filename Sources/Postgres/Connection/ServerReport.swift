/// The server's report of an error, with the statement that caused it. It must not be sent to unauthenticated clients,
/// and only its `logText` may be logged, because the message and detail may contain values.
///
/// The fields are those of the manual, chapter 55.8 "Error and Notice Message Fields".
package struct ServerReport: Sendable, Hashable {
    /// The SQLSTATE: five characters of the manual's appendix A, such as `23505`.
    package let sqlState: String
    package let message: String
    package let detail: String?
    package let hint: String?
    package let constraint: String?
    /// The table that the error concerns, with its schema; `nil` if the server reports none.
    package let table: String?
    package let column: String?
    /// The function in PostgreSQL's own source that reported the error.
    package let routine: String?
    /// The position of the error in the statement, in characters from 1.
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
