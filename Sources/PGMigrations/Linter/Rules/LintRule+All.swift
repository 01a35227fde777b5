extension LintRule {
    /// All lint rules, in the order of the documentation. The rules about allowances come first. The linter itself
    /// finds their violations.
    package static let all =
        ownText + locks + constraints + compatibility + data + records + walls + types + sessions + unseen

    private static let ownText = [unreasonedAllowance, unknownAllowance, unusedAllowance]

    static let unreasonedAllowance = LintRule(
        "allow-without-reason", "a rule is silenced without a reason, so it is not silenced",
        advice: "Write ‘-- lint: allow(rule) because …’, with what makes it safe here."
    ) { (_: LintedFile, _) in [] }

    static let unknownAllowance = LintRule(
        "allow-unknown-rule", "what is to be silenced is no rule",
        advice: "Write ‘-- lint: allow(rule) because …’ with one of the names in docs/migrations.md."
    ) { (_: LintedFile, _) in [] }

    static let unusedAllowance = LintRule(
        "allow-unused", "the statement below does not break the rule that is silenced",
        advice: "Remove the line, or move it above the statement that it is for.",
        severity: .warning
    ) { (_: LintedFile, _) in [] }
}
