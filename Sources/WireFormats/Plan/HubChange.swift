/// A change to the server's tables that a stage of a plan needs.
package enum HubChange: Hashable, Sendable {
    case newTable(String)
    case newColumn(HubEntity.Column, table: String)
    /// The type of an existing column changes to one that can express more values.
    case retyped(HubEntity.Column, from: ColumnType, table: String)
    /// A column that allowed no null may now contain it.
    case madeNullable(HubEntity.Column, table: String)

    /// Returns the changes that turn the tables of `older` into the tables of `newer`. Columns are only ever added,
    /// given a richer type, or allowed to contain null.
    static func changes(from older: Hub, to newer: Hub) -> [HubChange] {
        newer.entities.flatMap { entity -> [HubChange] in
            guard entity.index < older.entities.count else {
                return [.newTable(entity.table)] + entity.columns.map { .newColumn($0, table: entity.table) }
            }
            let before = older.entities[entity.index]
            let kept = zip(before.columns, entity.columns).flatMap { was, column -> [HubChange] in
                (was.type == column.type ? [] : [.retyped(column, from: was.type, table: entity.table)])
                    + (was.isNullable == column.isNullable ? [] : [.madeNullable(column, table: entity.table)])
            }
            return kept
                + entity.columns.dropFirst(before.columns.count).map { .newColumn($0, table: entity.table) }
        }
    }
}

extension HubChange: CustomStringConvertible {
    package var description: String {
        switch self {
        case .newTable(let table): "table \(table)"
        case .newColumn(let column, let table):
            "\(table).\(column.name): \(column.type.rawValue)\(column.isNullable ? "" : " NOT NULL")"
        case .retyped(let column, let type, let table):
            "\(table).\(column.name): \(type.rawValue) becomes \(column.type.rawValue)"
        case .madeNullable(let column, let table): "\(table).\(column.name): may be null from here on"
        }
    }
}
