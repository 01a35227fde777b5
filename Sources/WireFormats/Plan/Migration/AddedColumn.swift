/// A column that is new in a table, and what records that are there get in it.
struct AddedColumn {
    let column: HubEntity.Column
    let origin: ColumnOrigins.Origin
    /// Which of the drafted shapes brought it: later ones may be computed from earlier ones.
    let stage: Int

    var name: String { SQLText.identifier(column.name) }

    /// Whether an UPDATE gives it its values.
    var needsFill: Bool {
        if case .constant = origin { false } else { true }
    }

    var isCreation: Bool {
        if case .creation = origin { true } else { false }
    }

    var staysNull: Bool {
        if case .constant(.null) = origin { true } else { false }
    }

    /// As ADD COLUMN has it. What is filled later may be null until the contract.
    var declaration: String {
        let type = SQLText.type(column.type)
        guard case .constant(let value) = origin, !staysNull else { return type }
        return "\(type)\(column.isNullable ? "" : " NOT NULL") DEFAULT \(SQLText.literal(value))"
    }
}
