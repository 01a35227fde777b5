extension TableAlteration {
    /// The statement's locks. PostgreSQL takes the strongest lock that any of the commands needs, before it runs the
    /// first.
    var locks: [TableLock] {
        let mine = commands.map { TableLock(table: relation, mode: mode(of: $0), work: $0.work) }
        return (mine + commands.flatMap(\.locksElsewhere)).merged
    }

    /// Returns the lock mode of a command. It is ACCESS EXCLUSIVE unless PostgreSQL's manual (page of ALTER TABLE)
    /// names another mode.
    private func mode(of command: Command) -> LockMode {
        switch command {
        case .validateConstraint, .attachPartition, .detachPartition(_, concurrently: true): .shareUpdateExclusive
        case .addConstraint(let constraint): constraint.kind.isForeignKey ? .shareRowExclusive : .accessExclusive
        case .setOptions: kind == .view ? .accessExclusive : .shareUpdateExclusive
        case .other(let name): Self.weakCommands[name] ?? .accessExclusive
        default: .accessExclusive
        }
    }

    private static let weakCommands: [String: LockMode] = [
        "AT_SetStatistics": .shareUpdateExclusive, "AT_SetOptions": .shareUpdateExclusive,
        "AT_ResetOptions": .shareUpdateExclusive, "AT_ResetRelOptions": .shareUpdateExclusive,
        "AT_ClusterOn": .shareUpdateExclusive, "AT_DropCluster": .shareUpdateExclusive,
        "AT_DetachPartitionFinalize": .shareUpdateExclusive,
        "AT_EnableTrig": .shareRowExclusive, "AT_EnableAlwaysTrig": .shareRowExclusive,
        "AT_EnableReplicaTrig": .shareRowExclusive, "AT_EnableTrigAll": .shareRowExclusive,
        "AT_EnableTrigUser": .shareRowExclusive, "AT_DisableTrig": .shareRowExclusive,
        "AT_DisableTrigAll": .shareRowExclusive, "AT_DisableTrigUser": .shareRowExclusive,
    ]
}

extension TableAlteration.Command {
    /// The work on the table's rows that the command does under its lock, as far as its text shows. PostgreSQL may do
    /// less, for example if an existing check constraint proves that a column is not null.
    package var work: TableLock.Work {
        switch self {
        case .addColumn(let column, _):
            if column.rewritesTable { return .rewrite }
            return column.constraints.contains { $0.isValidated } ? .scan : .none
        case .setType, .addIdentity: return .rewrite
        case .setNotNull, .validateConstraint, .attachPartition: return .scan
        case .addConstraint(let constraint): return constraint.isValidated && constraint.index == nil ? .scan : .none
        case .other(let name): return Self.rewriting.contains(name) ? .rewrite : .none
        default: return .none
        }
    }

    private static let rewriting: Set<String> = [
        "AT_SetTableSpace", "AT_SetAccessMethod", "AT_SetLogged", "AT_SetUnLogged",
    ]

    var locksElsewhere: [TableLock] {
        switch self {
        case .addColumn(let column, _): column.constraints.compactMap(\.lockOfTarget)
        case .addConstraint(let constraint): constraint.lockOfTarget.map { [$0] } ?? []
        case .attachPartition(let table): [TableLock(table: table, mode: .accessExclusive, work: .scan)]
        case .detachPartition(let table, let concurrently):
            [TableLock(table: table, mode: concurrently ? .shareUpdateExclusive : .accessExclusive, work: .none)]
        default: []
        }
    }
}

extension SQLConstraint {
    /// The lock on the table that a foreign key refers to, because adding the key creates triggers on that table.
    fileprivate var lockOfTarget: TableLock? {
        guard case .foreignKey(let table) = kind else { return nil }
        return TableLock(table: table, mode: .shareRowExclusive, work: .none)
    }
}
