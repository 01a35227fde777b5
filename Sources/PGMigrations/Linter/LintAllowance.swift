internal import SQLText

/// An allowance, `-- lint: allow(rule) because …`: it silences one rule for the statement below it or around it.
struct LintAllowance {
    let line: Int
    /// The name of the lint rule to silence; `nil` if the comment does not have the form `lint: allow(rule) because …`.
    let rule: LintRule.Name?
    let reason: String?
    /// The first line of the statement below or around the comment; `nil` if there is none.
    let statementLine: Int?

    /// Reads an allowance such as `-- lint: allow(rule) because …`. Returns `nil` for any other comment.
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

    /// The minimum number of words in a reason. A shorter reason, such as “known”, explains nothing.
    private static let reasonWordsMin = 3

    func silences(_ rule: LintRule.Name, ofStatementAt line: Int) -> Bool {
        self.rule == rule && statementLine == line
    }
}
