internal import PGStore
internal import SQLText

/// Rules about constraints on tables that have rows.
extension LintRule {
    static let constraints = [
        checkedAtOnce, validatedAtOnce, uniqueWithoutIndex, unprovenNotNull, requiredWithoutDefault,
    ]

    private static let checkedAtOnce = LintRule(
        "constraint-checked-at-once",
        "all rows are checked with pushes locked out",
        advice: "Add it with NOT VALID, and VALIDATE CONSTRAINT in a later step: that lets pushes go on."
    ) { statement, _, surroundings in
        surroundings.newConstraints(in: statement).compactMap { table, constraint in
            switch constraint.kind {
            case .check, .foreignKey: constraint.isValidated ? "\(table)\(constraint.suffix)" : nil
            default: nil
            }
        }
    }

    private static let validatedAtOnce = LintRule(
        "validated-in-same-transaction",
        "the lock of ADD CONSTRAINT is still held while VALIDATE reads all rows, so NOT VALID gained nothing",
        advice: "Put VALIDATE CONSTRAINT into a step of its own."
    ) { (step: MigrationStep, surroundings) in
        guard step.isTransactional else { return [] }
        var added: Set<[String]> = []
        return step.statements.flatMap { statement in
            surroundings.alterations(in: statement).compactMap { table, command in
                switch command {
                case .addConstraint(let constraint):
                    if let name = constraint.name { added.insert(["\(table)", name]) }
                    return nil
                case .validateConstraint(let name) where added.contains(["\(table)", name]):
                    return Violation(statement: statement, subject: "\(table).\(name)")
                default: return nil
                }
            }
        }
    }

    private static let uniqueWithoutIndex = LintRule(
        "unique-without-index", "the index of the constraint is built with pulls and pushes locked out",
        advice: "Build it first with CREATE UNIQUE INDEX CONCURRENTLY, then ADD CONSTRAINT … UNIQUE USING INDEX."
    ) { statement, _, surroundings in
        surroundings.newConstraints(in: statement).compactMap { table, constraint in
            switch constraint.kind {
            case .unique, .primaryKey, .exclusion: constraint.index == nil ? "\(table)\(constraint.suffix)" : nil
            default: nil
            }
        }
    }

    private static let unprovenNotNull = LintRule(
        "set-not-null-unproven", "all rows are read for nulls with pulls and pushes locked out",
        advice: "First ADD CONSTRAINT … CHECK (… IS NOT NULL) NOT VALID, and VALIDATE it in a step of its own: "
            + "PostgreSQL then takes its word."
    ) { (file: LintedFile, surroundings) in
        var proofs = surroundings.proofs
        var violations: [Violation] = []
        for statement in file.statements {
            for (table, command) in surroundings.alterations(in: statement) {
                guard case .setNotNull(let column) = command, !proofs.prove(column, of: table) else { continue }
                violations.append(Violation(statement: statement, subject: "\(table).\(column)"))
            }
            proofs.take(statement)
        }
        return violations
    }

    private static let requiredWithoutDefault = LintRule(
        "required-without-default",
        "the statement fails if the table has a row, and servers of the release before cannot insert any more",
        advice: "Give it a constant DEFAULT, or let it be null until a later contract."
    ) { statement, _, surroundings in
        surroundings.alterations(in: statement).compactMap { table, command in
            guard case .addColumn(let column, _) = command, column.isNotNull, column.defaultValue == nil,
                !column.rewritesTable
            else { return nil }
            return "\(table).\(column.name)"
        }
    }
}

extension LintSurroundings {
    /// Returns the constraints that a statement adds to tables that existed before the file.
    fileprivate func newConstraints(in statement: SQLStatement) -> [(table: SQLName, constraint: SQLConstraint)] {
        alterations(in: statement).flatMap { table, command -> [(table: SQLName, constraint: SQLConstraint)] in
            switch command {
            case .addConstraint(let constraint): [(table, constraint)]
            case .addColumn(let column, _): column.constraints.map { (table, $0) }
            default: []
            }
        }
    }
}

extension SQLConstraint {
    fileprivate var suffix: String { (name ?? columns.first).map { ".\($0)" } ?? "" }
}
