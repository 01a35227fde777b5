internal import SQLText

/// `-- lint: allow(rule) because …`: silences one rule for the statement that it stands above, or in.
struct LintAllowance {
    let line: Int
    /// `nil` where the line is not of this form.
    let rule: LintRule.Name?
    let reason: String?
    /// The first line of the statement that it is for; `nil` after the last.
    let statementLine: Int?

    /// `nil` for other comments.
    init?(_ comment: SQLComment, in script: SQLScript) {
        guard let directive = try? Directive(comment, in: script), directive.key == .lint else { return nil }
        line = directive.line
        let match = directive.value.wholeMatch(of: /allow\(\s*([a-z-]+)\s*\)\s*(?:because\s*(.*))?/)
        rule = match.map { String($0.1) }
        reason = match?.2.map(String.init)
        statementLine = script.statements.first { comment.bytes.lowerBound < $0.bytes.upperBound }?.line
    }

    /// Words that do not explain are no reason.
    var isReasoned: Bool { (reason?.split(separator: " ").count ?? 0) >= Self.reasonWordsMin }

    /// Fewer say “it is fine”.
    private static let reasonWordsMin = 3

    func silences(_ rule: LintRule.Name, ofStatementAt line: Int) -> Bool {
        self.rule == rule && statementLine == line
    }
}
