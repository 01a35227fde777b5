/// A column that a migration adds to a table, and the source of its values in existing records.
struct AddedColumn {
    let column: HubEntity.Column
    let origin: ColumnOrigins.Origin
    /// The position of the shape that introduced the column, among the shapes that the migration adds. A shape is a
    /// version or a historical variant. Columns are filled in this order, because a later shape may compute its values
    /// from columns of an earlier one.
    let stage: Int

    var name: String { SQLText.identifier(column.name) }

    /// True if the migration must set the column in existing records by an UPDATE, because its value is not a constant.
    var needsFill: Bool {
        if case .constant = origin { false } else { true }
    }

    var isCreation: Bool {
        if case .creation = origin { true } else { false }
    }

    var staysNull: Bool {
        if case .constant(.null) = origin { true } else { false }
    }

    /// The column's type and constraints for `ADD COLUMN`. A column that an UPDATE fills allows null until the
    /// migration's last step, the contract step.
    var declaration: String {
        let type = SQLText.type(column.type)
        guard case .constant(let value) = origin, !staysNull else { return type }
        return "\(type)\(column.isNullable ? "" : " NOT NULL") DEFAULT \(SQLText.literal(value))"
    }
}
