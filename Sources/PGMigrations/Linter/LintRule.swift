internal import PGStore
internal import SQLText

/// A rule that migration files keep, unless one says why not.
package struct LintRule: Sendable {
    /// Words joined by hyphens.
    package typealias Name = String

    /// Whether a file that breaks it may be published.
    package enum Severity: String, Sendable {
        case error, warning
    }

    /// Stable, in words joined by hyphens: `-- lint: allow(name) because …`.
    package let name: Name
    package let severity: Severity
    /// What is wrong where it is broken.
    package let fault: String
    /// What to do instead.
    package let advice: String
    let places: @Sendable (LintedFile, LintSurroundings) -> [Place]

    /// A statement that breaks the rule.
    struct Place {
        let statement: SQLStatement
        /// The table, column or function that it is about.
        let subject: String
    }

    /// A rule about the file as a whole.
    init(
        _ name: Name, _ fault: String, advice: String, severity: Severity = .error,
        inFile places: @escaping @Sendable (LintedFile, LintSurroundings) -> [Place]
    ) {
        self.name = name
        self.severity = severity
        self.fault = fault
        self.advice = advice
        self.places = places
    }

    /// A rule about what is done in one transaction, or in one step.
    init(
        _ name: Name, _ fault: String, advice: String, severity: Severity = .error,
        inStep places: @escaping @Sendable (MigrationStep, LintSurroundings) -> [Place]
    ) {
        self.init(name, fault, advice: advice, severity: severity) { (file: LintedFile, surroundings) in
            file.steps.flatMap { places($0, surroundings) }
        }
    }

    /// A rule about single statements: `subjects` names what of a statement breaks it.
    init(
        _ name: Name, _ fault: String, advice: String, severity: Severity = .error,
        inStatement subjects: @escaping @Sendable (SQLStatement, MigrationStep, LintSurroundings) -> [String]
    ) {
        self.init(name, fault, advice: advice, severity: severity) { (step: MigrationStep, surroundings) in
            step.statements.flatMap { statement in
                subjects(statement, step, surroundings).map { Place(statement: statement, subject: $0) }
            }
        }
    }

    func finding(_ path: String, line: Int, _ subject: String) -> LintFinding {
        LintFinding(
            rule: name, severity: severity, path: path, line: line, subject: subject, fault: fault, advice: advice)
    }
}
