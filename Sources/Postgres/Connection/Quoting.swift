/// Quotes an SQL identifier. The names come from plans, whose check allows nothing that quoting could not hold.
package func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}

/// Quotes an SQL text literal, for constants of a plan only; values of requests are bound. A backslash is itself,
/// because `standard_conforming_strings` is on (manual, section 4.1.2.1).
package func quotedLiteral(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
}
