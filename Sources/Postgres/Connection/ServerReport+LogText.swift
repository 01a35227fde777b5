extension ServerReport {
    /// The report's text for a log: what happened and where, without any value from a row or a parameter. The
    /// statement's text has no values, and DETAIL and HINT are left out.
    package var logText: String {
        var text = "[\(sqlState)]"
        if !mayQuoteValues { text += " \(message)" }
        for (name, value) in [("Constraint", constraint), ("Table", table), ("Column", column)] {
            if let value { text += " \(name): \(value)." }
        }
        if !sql.isEmpty { text += " Statement: \(sql)" }
        return text
    }

    /// True if the primary message may contain values of rows or parameters. Messages of the classes in `quotingNone`
    /// are about statements, sessions and the server itself (manual, appendix A). All others, such as 22 (data
    /// exception) and 23 (integrity constraint), and messages that a function raises itself, are not trusted.
    private var mayQuoteValues: Bool {
        routine == Self.raising || !Self.quotingNone.contains(String(sqlState.prefix(2)))
    }

    /// The routine of PostgreSQL that reports messages of PL/pgSQL's RAISE, which may have any SQLSTATE (`pl_exec.c`).
    private static let raising = "exec_stmt_raise"

    private static let quotingNone: Set<String> = [
        "08", "0A", "25", "26", "28", "34", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "XX",
    ]
}
