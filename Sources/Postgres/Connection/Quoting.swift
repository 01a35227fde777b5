/// Quotes an SQL identifier. Names come from plans, and the check of a plan allows only names that can be quoted.
package func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}

/// Quotes an SQL text literal. Use it only for constants of a plan (an app's versions); values of requests are bound as
/// parameters. A backslash needs no escape, because `standard_conforming_strings` is on (manual, section 4.1.2.1).
package func quotedLiteral(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
}
