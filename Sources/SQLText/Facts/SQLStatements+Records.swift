extension Sequence<SQLStatement> {
    /// The tables and views that these statements make and that did not exist before. A relation that takes the name of
    /// a dropped or renamed relation is not included, because that name existed before.
    package var newRelations: Set<SQLName> {
        var (made, replaced): (Set<SQLName>, Set<SQLName>) = ([], [])
        for statement in self {
            replaced.formUnion(statement.relationsTaken.filter { !made.contains($0) })
            if let relation = statement.createdRelation, !replaced.contains(relation) { made.insert(relation) }
        }
        return made
    }

    /// The columns whose stored values these statements replace, each with its table and the statement. A column counts
    /// if all of its values are rewritten. It also counts if it gets the name of a dropped or renamed column. The
    /// column is `""` if the whole table is rewritten, for example by `CLUSTER`.
    package var rewrittenColumns: [(table: SQLName, column: String, statement: SQLStatement)] {
        var found: [(table: SQLName, column: String, statement: SQLStatement)] = []
        /// The names of the columns that were dropped or renamed so far, each with its table's name.
        var free: Set<[String]> = []
        for statement in self {
            for column in statement.columnsGivenUp { free.insert(["\(column.table)", column.name]) }
            for column in statement.columnsNamed where free.contains(["\(column.table)", column.name]) {
                found.append((column.table, column.name, statement))
            }
            found += statement.columnsWrittenAnew.map { ($0.table, $0.name, statement) }
        }
        return found
    }
}

extension SQLStatement {
    /// The tables and views that the statement drops or renames.
    package var relationsTaken: [SQLName] {
        switch action {
        case .drop(let dropping) where dropping.kind.isRelation && dropping.kind != .index: dropping.names
        case .rename(let renaming) where renaming.kind.isRelation && renaming.kind != .index:
            renaming.relation.map { [$0] } ?? []
        default: []
        }
    }

    fileprivate typealias Column = (table: SQLName, name: String)

    fileprivate var columnsGivenUp: [Column] {
        switch action {
        case .rename(let renaming) where renaming.kind == .column:
            [column(renaming.relation, renaming.part)].compactMap(\.self)
        case .alterTable(let alteration):
            alteration.commands.compactMap { command in
                if case .dropColumn(let name, _) = command { (alteration.relation, name) } else { nil }
            }
        default: []
        }
    }

    fileprivate var columnsNamed: [Column] {
        switch action {
        case .rename(let renaming) where renaming.kind == .column:
            [column(renaming.relation, renaming.newName)].compactMap(\.self)
        case .alterTable(let alteration):
            alteration.commands.compactMap { command in
                if case .addColumn(let column, _) = command { (alteration.relation, column.name) } else { nil }
            }
        default: []
        }
    }

    private func column(_ table: SQLName?, _ name: String?) -> Column? {
        guard let table, let name else { return nil }
        return (table, name)
    }

    fileprivate var columnsWrittenAnew: [Column] {
        switch action {
        case .alterTable(let alteration) where alteration.kind == .table:
            alteration.commands.compactMap { command in
                switch command {
                case .setType(let name, _), .addIdentity(let name): (alteration.relation, name)
                case .addColumn(let column, _) where command.work == .rewrite: (alteration.relation, column.name)
                case .other where command.work == .rewrite: (alteration.relation, "")
                default: nil
                }
            }
        case .cluster(let table?): [(table, "")]
        default: []
        }
    }
}
