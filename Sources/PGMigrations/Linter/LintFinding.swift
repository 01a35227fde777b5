/// One place where a migration file breaks a rule.
package struct LintFinding: Sendable, Hashable {
    package let rule: LintRule.Name
    package let severity: LintRule.Severity
    /// `fitiq/0013-add-mood.sql`
    package let path: String
    /// From 1.
    package let line: Int
    /// The tables, columns or words that it is about.
    package let subject: String
    /// What is wrong with them.
    package let fault: String
    /// What to write instead.
    package let advice: String
}

extension LintFinding: CustomStringConvertible {
    /// The place as compilers say it, and below it what is wrong and what to do; in 100 columns where words allow.
    package var description: String {
        let lines = ["\(path):\(line): \(severity.rawValue): \(subject) [\(rule)]", "    \(fault).", "    \(advice)"]
        return "\(lines[0].wrapped())\n\(lines[1].wrapped(indent: 0))\n\(lines[2].wrapped(indent: 0))"
    }
}
