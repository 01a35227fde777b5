/// One violation of a lint rule in a migration file.
package struct LintFinding: Sendable, Hashable {
    package let rule: LintRule.Name
    package let severity: LintRule.Severity
    /// The path of the file: `fitiq/0013-add-mood.sql`.
    package let path: String
    /// The line's number, from 1.
    package let line: Int
    /// The tables, columns or words that the finding is about.
    package let subject: String
    /// A sentence, without its full stop, that describes the fault.
    package let fault: String
    /// A sentence that says what to write instead.
    package let advice: String
}

extension LintFinding: CustomStringConvertible {
    /// The finding as text: path, line and severity as compilers write them, then the fault and the advice on lines of
    /// their own; at most 100 columns where words allow.
    package var description: String {
        let lines = ["\(path):\(line): \(severity.rawValue): \(subject) [\(rule)]", "    \(fault).", "    \(advice)"]
        return "\(lines[0].wrapped())\n\(lines[1].wrapped(indent: 0))\n\(lines[2].wrapped(indent: 0))"
    }
}
