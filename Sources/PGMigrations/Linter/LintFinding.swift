/// One violation of a lint rule in a migration file.
package struct LintFinding: Sendable, Hashable {
    package let rule: LintRule.Name
    package let severity: LintRule.Severity
    /// The path of the file: `fitiq/0013-add-mood.sql`.
    package let path: String
    /// The number of the line that the finding is about, from 1.
    package let line: Int
    /// The tables, columns or words that the finding is about.
    package let subject: String
    /// A sentence, without its full stop, that describes the fault.
    package let fault: String
    /// A sentence that says what to write instead.
    package let advice: String
}

extension LintFinding: CustomStringConvertible {
    /// The finding as text for a terminal. The first line has the path, line and severity in the format of compilers.
    /// The fault and the advice follow on lines of their own. Lines are wrapped at 100 columns.
    package var description: String {
        let lines = ["\(path):\(line): \(severity.rawValue): \(subject) [\(rule)]", "    \(fault).", "    \(advice)"]
        return "\(lines[0].wrapped())\n\(lines[1].wrapped(indent: 0))\n\(lines[2].wrapped(indent: 0))"
    }
}
