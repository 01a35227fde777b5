extension ServerReport {
    /// What may be kept: what happened and where, and nothing of what a row or a parameter holds. The statement's text
    /// has no values, and DETAIL and HINT are left out.
    package var logText: String {
        var text = "[\(sqlState)]"
        if !mayQuoteValues { text += " \(message)" }
        for (name, value) in [("Constraint", constraint), ("Table", table), ("Column", column)] {
            if let value { text += " \(name): \(value)." }
        }
        if !sql.isEmpty { text += " Statement: \(sql)" }
        return text
    }

    /// Whether the primary message may have values in it. Those of the classes below are about statements, sessions and
    /// the server itself (manual, appendix A); the others, such as 22 (data exception) and 23 (integrity constraint),
    /// and what a function raises in its own words, are not trusted.
    private var mayQuoteValues: Bool {
        routine == Self.raising || !Self.quotingNone.contains(String(sqlState.prefix(2)))
    }

    /// Reports what PL/pgSQL's RAISE says, under whatever SQLSTATE (`pl_exec.c`).
    private static let raising = "exec_stmt_raise"

    private static let quotingNone: Set<String> = [
        "08", "0A", "25", "26", "28", "34", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "XX",
    ]
}
