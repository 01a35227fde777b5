internal import PGStore
internal import SQLText

/// A rule for migration files. A file may break it only with an allowance, a comment that states the reason.
package struct LintRule: Sendable {
    /// A rule's name: words joined by hyphens.
    package typealias Name = String

    /// The severity of a violation: an error keeps the file from being published.
    package enum Severity: String, Sendable {
        case error, warning
    }

    /// A stable name, words joined by hyphens, for `-- lint: allow(name) because …`.
    package let name: Name
    package let severity: Severity
    /// A description of the fault in a file that breaks the rule.
    package let fault: String
    /// A recommendation for what to do instead.
    package let advice: String
    let violations: @Sendable (LintedFile, LintSurroundings) -> [Violation]

    /// A statement that breaks a lint rule.
    struct Violation {
        let statement: SQLStatement
        /// The table, column or function that the violation is about.
        let subject: String
    }

    /// Creates a rule about a whole file.
    init(
        _ name: Name, _ fault: String, advice: String, severity: Severity = .error,
        inFile violations: @escaping @Sendable (LintedFile, LintSurroundings) -> [Violation]
    ) {
        self.name = name
        self.severity = severity
        self.fault = fault
        self.advice = advice
        self.violations = violations
    }

    /// Creates a rule that checks each step of a migration file by itself.
    init(
        _ name: Name, _ fault: String, advice: String, severity: Severity = .error,
        inStep violations: @escaping @Sendable (MigrationStep, LintSurroundings) -> [Violation]
    ) {
        self.init(name, fault, advice: advice, severity: severity) { (file: LintedFile, surroundings) in
            file.steps.flatMap { violations($0, surroundings) }
        }
    }

    /// Creates a rule about single statements. `subjects` returns the tables, columns or functions with which a
    /// statement violates the rule; an empty array if it does not.
    init(
        _ name: Name, _ fault: String, advice: String, severity: Severity = .error,
        inStatement subjects: @escaping @Sendable (SQLStatement, MigrationStep, LintSurroundings) -> [String]
    ) {
        self.init(name, fault, advice: advice, severity: severity) { (step: MigrationStep, surroundings) in
            step.statements.flatMap { statement in
                subjects(statement, step, surroundings).map { Violation(statement: statement, subject: $0) }
            }
        }
    }

    func finding(_ path: String, line: Int, _ subject: String) -> LintFinding {
        LintFinding(
            rule: name, severity: severity, path: path, line: line, subject: subject, fault: fault, advice: advice)
    }
}
