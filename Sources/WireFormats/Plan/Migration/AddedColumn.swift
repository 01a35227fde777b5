/// A column that is new in a table, and the origin of its value in existing records.
struct AddedColumn {
    let column: HubEntity.Column
    let origin: ColumnOrigins.Origin
    /// The drafted shape that introduced the column. Columns of later shapes may be computed from columns of earlier
    /// ones.
    let stage: Int

    var name: String { SQLText.identifier(column.name) }

    /// True if an UPDATE gives the column its values.
    var needsFill: Bool {
        if case .constant = origin { false } else { true }
    }

    var isCreation: Bool {
        if case .creation = origin { true } else { false }
    }

    var staysNull: Bool {
        if case .constant(.null) = origin { true } else { false }
    }

    /// The column's type and constraints for ADD COLUMN. A column that is filled later may be null until the contract
    /// step.
    var declaration: String {
        let type = SQLText.type(column.type)
        guard case .constant(let value) = origin, !staysNull else { return type }
        return "\(type)\(column.isNullable ? "" : " NOT NULL") DEFAULT \(SQLText.literal(value))"
    }
}
