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

    /// True if the message of the error may contain values of rows or parameters. Only the SQLSTATE classes in
    /// `quotingNone` have messages without values (manual, appendix A). A message that a function raises itself may
    /// contain values, whatever its class.
    private var mayQuoteValues: Bool {
        routine == Self.raising || !Self.quotingNone.contains(String(sqlState.prefix(2)))
    }

    /// The routine of PostgreSQL that reports messages of PL/pgSQL's RAISE, which may have any SQLSTATE (`pl_exec.c`).
    private static let raising = "exec_stmt_raise"

    private static let quotingNone: Set<String> = [
        "08", "0A", "25", "26", "28", "34", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "XX",
    ]
}
