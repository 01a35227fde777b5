extension SQLStatement {
    /// The locks that the statement takes on existing tables, according to PostgreSQL 15's manual: chapter 13.3 and the
    /// page of each command. Three kinds of locks are not included: those on tables that the statement creates, those
    /// that a foreign key's check takes row by row, and those of code that the statement runs.
    package var locks: [TableLock] {
        let own = definingLocks ?? alteringLocks ?? workingLocks ?? []
        // The words of a code block prove no change.
        let changed = action == .runCode ? [] : changes.map { lock($0.table, .rowExclusive) }
        return (own + changed + readRelations.map { lock($0, .accessShare) }).merged
    }

    private func lock(_ table: SQLName, _ mode: LockMode, _ work: TableLock.Work = .none) -> TableLock {
        TableLock(table: table, mode: mode, work: work)
    }

    /// The relations that the statement's queries read.
    private var readRelations: [SQLName] {
        switch action {
        case .select, .changeRows, .createQuery, .createTable:
            let created = createdRelation
            return relations.filter { $0 != created }
        default: return []
        }
    }

    /// The table or view that the statement creates. With `OR REPLACE`, it may have existed before.
    package var createdRelation: SQLName? {
        switch action {
        case .createTable(let definition): definition.table
        case .createQuery(let definition): definition.name
        default: nil
        }
    }

    private var definingLocks: [TableLock]? {
        switch action {
        case .createTable(let definition):
            let referenced = definition.constraints.compactMap { constraint -> TableLock? in
                guard case .foreignKey(let table) = constraint.kind, table != definition.table else { return nil }
                return lock(table, .shareRowExclusive)
            }
            let parentMode: LockMode = definition.isPartition ? .accessExclusive : .shareUpdateExclusive
            return referenced + definition.parents.map { lock($0, parentMode) }
        case .createQuery(let definition):
            return definition.isReplacing ? [lock(definition.name, .accessExclusive)] : []
        case .createIndex(let index):
            return [lock(index.table, index.concurrently ? .shareUpdateExclusive : .share, .scan)]
        case .createTrigger(_, let table, _): return [lock(table, .shareRowExclusive)]
        case .createPolicy(_, let table), .alterPolicy(let table): return [lock(table, .accessExclusive)]
        case .createRule(let table, _): return [lock(table, .accessExclusive)]
        case .createStatistics(let tables, _): return tables.map { lock($0, .shareUpdateExclusive) }
        default: return nil
        }
    }

    private var alteringLocks: [TableLock]? {
        switch action {
        case .alterTable(let alteration): return alteration.locks
        case .drop(let dropping):
            guard dropping.kind.isRelation || dropping.kind.isOfTable else { return [] }
            return dropping.names.map { lock($0, dropping.concurrently ? .shareUpdateExclusive : .accessExclusive) }
        case .rename(let renaming):
            // According to the manual, an index may be renamed while its table is read and written.
            return renaming.relation.map {
                [lock($0, renaming.kind == .index ? .shareUpdateExclusive : .accessExclusive)]
            }
        case .comment(let table): return table.map { [lock($0, .shareUpdateExclusive)] }
        default: return nil
        }
    }

    private var workingLocks: [TableLock]? {
        switch action {
        case .changeRows: return []
        case .select(let locksRows): return locksRows ? relations.map { lock($0, .rowShare) } : []
        case .truncate(let tables, _): return tables.map { lock($0, .accessExclusive) }
        case .lock(let tables, let mode): return tables.map { lock($0, mode) }
        case .vacuum(let tables, let isFull):
            return tables.map {
                isFull ? lock($0, .accessExclusive, .rewrite) : lock($0, .shareUpdateExclusive, .scan)
            }
        case .analyze(let tables): return tables.map { lock($0, .shareUpdateExclusive, .scan) }
        case .cluster(let table): return table.map { [lock($0, .accessExclusive, .rewrite)] }
        case .reindex(_, let relation, let concurrently):
            return relation.map { [lock($0, concurrently ? .shareUpdateExclusive : .share, .scan)] }
        case .refresh(let view, let concurrently):
            return [lock(view, concurrently ? .exclusive : .accessExclusive, .rewrite)]
        default: return nil
        }
    }
}
