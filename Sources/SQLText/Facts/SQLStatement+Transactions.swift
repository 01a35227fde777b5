extension SQLStatement {
    /// True if PostgreSQL allows the statement in a transaction block, `BEGIN … COMMIT`.
    package var mayRunInTransaction: Bool {
        switch action {
        case .createIndex(let index): !index.concurrently
        case .drop(let dropping): !dropping.concurrently
        case .alterTable(let alteration):
            !alteration.commands.contains {
                if case .detachPartition(_, concurrently: true) = $0 { true } else { false }
            }
        case .vacuum: false
        case .cluster(let table): table != nil
        case .reindex(let kind, _, let concurrently): !concurrently && (kind == .index || kind == .table)
        case .other(let name): !Self.alone.contains(name)
        default: true
        }
    }

    private static let alone: Set<String> = [
        "CreatedbStmt", "DropdbStmt", "CreateTableSpaceStmt", "DropTableSpaceStmt", "AlterSystemStmt",
        "CreateSubscriptionStmt", "DropSubscriptionStmt",
    ]

    /// True if the statement can be repeated after it was interrupted at any point, with the same result as one
    /// complete run. Only the statement's text is considered.
    package var isIdempotent: Bool {
        switch action {
        case .createSchema(_, let ifNotExists), .createSequence(_, let ifNotExists),
            .createExtension(_, let ifNotExists),
            .createStatistics(_, let ifNotExists), .alterEnum(_, let ifNotExists):
            ifNotExists
        case .createTable(let definition): definition.ifNotExists
        case .createQuery(let definition):
            changesIdempotently && (definition.isReplacing || definition.ifNotExists)
        case .createIndex(let index): index.ifNotExists && index.name != nil
        case .createFunction(let function): function.isReplacing
        case .createTrigger(_, _, let isReplacing), .createRule(_, let isReplacing): isReplacing
        case .alterTable(let alteration): alteration.commands.allSatisfy(\.isIdempotent)
        case .drop(let dropping): dropping.ifExists
        case .changeRows: changesIdempotently
        case .select: calls.allSatisfy { ($0.function.schema ?? "pg_catalog") == "pg_catalog" && !$0.movesSequence }
        case .alterPolicy, .alterFunction, .truncate, .lock, .vacuum, .analyze, .cluster, .reindex, .refresh, .set,
            .comment, .grant:
            true
        case .createPolicy, .createEnum, .createDomain, .rename, .transaction, .runCode, .changeRole, .other: false
        }
    }

    private var changesIdempotently: Bool {
        changes.allSatisfy { $0.verb == .delete || $0.verb == .insert && $0.handlesConflict }
    }

    /// True if the statement changes rows of tables.
    package var changesRows: Bool {
        if case .truncate = action { true } else { !changes.isEmpty }
    }

    /// True if the statement changes the definition of tables, functions and the like, and not only their rows or the
    /// session.
    package var changesSchema: Bool {
        switch action {
        case .changeRows, .truncate, .select, .lock, .vacuum, .analyze, .reindex, .refresh, .cluster, .set,
            .transaction,
            .runCode:
            false
        default: true
        }
    }
}

extension SQLStatement.Call {
    /// True if the function is `nextval` or `setval`. Such a call may change a sequence again when it is repeated.
    fileprivate var movesSequence: Bool { ["nextval", "setval"].contains(function.name) }
}

extension TableAlteration.Command {
    var isIdempotent: Bool {
        switch self {
        case .addColumn(_, let ifNotExists): ifNotExists
        case .dropColumn(_, let ifExists), .dropConstraint(_, let ifExists): ifExists
        case .setType, .setNotNull, .dropNotNull, .setDefault, .dropDefault, .validateConstraint, .rowSecurity,
            .setOptions:
            true
        case .addIdentity, .addConstraint, .attachPartition, .detachPartition: false
        case .other(let name): !name.hasPrefix("AT_Add")
        }
    }
}
