internal import SQLText

/// An allowance, `-- lint: allow(rule) because …`: it silences one rule for the statement below it or around it.
struct LintAllowance {
    let line: Int
    /// The rule's name; `nil` if the line is not of this form.
    let rule: LintRule.Name?
    let reason: String?
    /// The first line of the statement that the allowance is for; `nil` after the last statement.
    let statementLine: Int?

    /// Reads a comment as an allowance; `nil` for other comments.
    init?(_ comment: SQLComment, in script: SQLScript) {
        guard let directive = try? Directive(comment, in: script), directive.key == .lint else { return nil }
        line = directive.line
        let match = directive.value.wholeMatch(of: /allow\(\s*([a-z-]+)\s*\)\s*(?:because\s*(.*))?/)
        rule = match.map { String($0.1) }
        reason = match?.2.map(String.init)
        statementLine = script.statements.first { comment.bytes.lowerBound < $0.bytes.upperBound }?.line
    }

    /// True if the reason has enough words to explain anything.
    var isReasoned: Bool { (reason?.split(separator: " ").count ?? 0) >= Self.reasonWordsMin }

    /// The fewest words of a reason. Fewer say no more than “it is fine”.
    private static let reasonWordsMin = 3

    func silences(_ rule: LintRule.Name, ofStatementAt line: Int) -> Bool {
        self.rule == rule && statementLine == line
    }
}
