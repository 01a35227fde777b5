internal import PGStore
internal import SQLText

/// Rules about locks, and so about how long other sessions wait.
extension LintRule {
    static let locks = [
        indexNotConcurrent, aloneInTransaction, rewritingColumn, columnType, tableRewrite, lockTable,
        manyExclusiveLocks, severalAlterations,
    ]

    private static let indexNotConcurrent = LintRule(
        "index-not-concurrent",
        "an index is built, dropped or rebuilt without CONCURRENTLY, so that pushes wait until it is done",
        advice: "Use CONCURRENTLY and IF [NOT] EXISTS in a step of its own with ‘-- migrate: transaction=none’."
    ) { statement, _, surroundings in
        switch statement.action {
        case .createIndex(let index) where !index.concurrently && !surroundings.isNew(index.table):
            return ["\(index.table)"]
        case .drop(let dropping) where dropping.kind == .index && !dropping.concurrently:
            return dropping.names.map(\.description)
        case .reindex(_, let relation, concurrently: false): return [relation?.description ?? statement.headline]
        default: return []
        }
    }

    private static let aloneInTransaction = LintRule(
        "concurrently-in-transaction", "PostgreSQL does not run this statement in a transaction",
        advice: "Put it into a step with ‘-- migrate: transaction=none’."
    ) { statement, step, _ in
        step.isTransactional && !statement.mayRunInTransaction ? [statement.headline] : []
    }

    private static let rewritingColumn = LintRule(
        "volatile-default",
        "each row gets a value of its own (a volatile default, a sequence, a computed column), for which the whole "
            + "table is rewritten with pulls and pushes locked out",
        advice: "Add the column without it, set the default in a second command, and fill old rows in a backfill step."
    ) { statement, _, surroundings in
        surroundings.alterations(in: statement).compactMap { table, command in
            switch command {
            case .addColumn(let column, _) where column.rewritesTable: "\(table).\(column.name)"
            case .addIdentity(let column): "\(table).\(column)"
            default: nil
            }
        }
    }

    private static let columnType = LintRule(
        "column-type-changed",
        "the table is rewritten with pulls and pushes locked out, and servers of the release before read another type",
        advice: "Add a column of the new type, fill it in a backfill step, and drop the old one in a later contract."
    ) { statement, _, surroundings in
        surroundings.alterations(in: statement).compactMap { table, command in
            guard case .setType(let column, _) = command else { return nil }
            return "\(table).\(column)"
        }
    }

    private static let tableRewrite = LintRule(
        "table-rewrite", "the whole table is written anew with pulls and pushes locked out",
        advice: "Leave it out: autovacuum reuses the space. If it must be, do it by hand at a quiet time."
    ) { statement, _, surroundings in
        switch statement.action {
        case .vacuum(let tables, isFull: true): return tables.isEmpty ? ["VACUUM FULL"] : tables.map(\.description)
        case .cluster(let table): return [table?.description ?? "CLUSTER"]
        case .refresh(let view, concurrently: false): return ["\(view)"]
        default:
            return surroundings.alterations(in: statement).compactMap { table, command in
                guard case .other = command, command.work == .rewrite else { return nil }
                return "\(table)"
            }
        }
    }

    private static let lockTable = LintRule(
        "lock-table", "LOCK TABLE makes others wait to the end of the transaction",
        advice: "Leave it to the statements to take the locks that they need, or lock rows (FOR UPDATE)."
    ) { statement, _, _ in
        guard case .lock(let tables, _) = statement.action else { return [] }
        return tables.map(\.description)
    }

    private static let manyExclusiveLocks = LintRule(
        "several-tables-locked",
        "one transaction locks several tables against pulls and pushes, each until the last is done; it may deadlock "
            + "with those who take them in another order",
        advice: "Give each table a step of its own: ‘-- phase: …’ begins one.",
        severity: .warning
    ) { (step: MigrationStep, surroundings) in
        guard step.isTransactional else { return [] }
        var tables: [SQLName] = []
        var second: SQLStatement?
        for statement in step.statements {
            for lock in surroundings.locks(of: statement) where lock.mode.blocksReads && !tables.contains(lock.table) {
                tables.append(lock.table)
                if tables.count == 2 { second = statement }
            }
        }
        let subject = tables.map(\.description).joined(separator: ", ")
        return second.map { [Violation(statement: $0, subject: subject)] } ?? []
    }

    private static let severalAlterations = LintRule(
        "several-alters", "the table is altered by several statements that one could do, in one pass",
        advice: "Join them with commas: ALTER TABLE … ADD COLUMN …, ADD COLUMN …",
        severity: .warning
    ) { (step: MigrationStep, surroundings) in
        zip(step.statements, step.statements.dropFirst()).compactMap { first, second in
            guard case .alterTable(let one) = first.action, case .alterTable(let other) = second.action,
                one.relation == other.relation, one.kind == .table, !surroundings.isNew(one.relation),
                step.isTransactional, !one.onlyMovesWall, !other.onlyMovesWall
            else { return nil }
            return Violation(statement: second, subject: "\(other.relation)")
        }
    }
}

extension LintSurroundings {
    /// Returns the commands of the statement if it is an ALTER TABLE on a table that existed before the file; otherwise
    /// none.
    func alterations(in statement: SQLStatement) -> [(table: SQLName, command: TableAlteration.Command)] {
        guard case .alterTable(let alteration) = statement.action, alteration.kind == .table,
            !isNew(alteration.relation)
        else { return [] }
        return alteration.commands.map { (alteration.relation, $0) }
    }
}

extension TableAlteration {
    /// True if the statement only turns row-level security on or off. Such a statement may be separate from other
    /// changes to the same table, because another statement may need row-level security off.
    fileprivate var onlyMovesWall: Bool {
        commands.allSatisfy { if case .rowSecurity = $0 { true } else { false } }
    }
}

extension SQLStatement {
    /// The first words of the statement, which name it in findings that concern no single table.
    var headline: String {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.prefix(Self.headlineWords).joined(separator: " ") + (words.count > Self.headlineWords ? " …" : "")
    }

    private static let headlineWords = 4
}
