import SQLText

/// A change of an existing table that makes it unreadable for servers of the previous release. Changes in contract
/// steps do not count, because contract steps wait for those servers to end.
struct Break {
    /// The number of the statement's line in the file.
    let lineNumber: Int
    /// A description of the table and its change, such as `fitiq.sd_meal, whose column ‘notes’ gets another type`.
    let what: String
}

extension MigrationFile {
    /// Returns the first change in a step after which servers of the previous release cannot read a table; `nil` in a
    /// contract step, which waits for these servers to end anyway. Tables that the file itself makes do not count,
    /// because these servers do not use them.
    func firstBreak(in step: MigrationStep) -> Break? {
        guard step.phase != .contract, id.line != MigrationLine.serverLineName else { return nil }
        let made = steps.flatMap(\.statements).newRelations
        for statement in step.statements {
            guard let what = statement.action.broken(in: id.line, except: made) else { continue }
            return Break(lineNumber: statement.line, what: what)
        }
        return nil
    }
}

extension SQLAction {
    fileprivate func broken(in schema: String, except made: Set<SQLName>) -> String? {
        switch self {
        case .drop(let drop) where drop.kind == .schema && drop.names.contains { $0.name == schema }:
            "\(schema), which goes"
        case .rename(let renaming) where renaming.kind == .schema && renaming.part == schema:
            "\(schema), which gets another name"
        case .alterTable(let change) where change.kind == .table && !made.contains(change.relation):
            change.commands.lazy.compactMap { $0.broken }.first.map { "\(change.relation), \($0)" }
        case .drop(let drop) where drop.kind == .table:
            drop.names.first { !made.contains($0) }.map { "\($0), which goes" }
        case .rename(let renaming) where [.table, .column].contains(renaming.kind):
            renaming.relation.flatMap { relation in
                made.contains(relation) ? nil : "\(relation), which gets another name or has a column that does"
            }
        default: nil
        }
    }
}

extension TableAlteration.Command {
    fileprivate var broken: String? {
        switch self {
        case .setType(let column, _): "whose column ‘\(column)’ gets another type"
        case .dropColumn(let column, _): "whose column ‘\(column)’ goes"
        default: nil
        }
    }
}
