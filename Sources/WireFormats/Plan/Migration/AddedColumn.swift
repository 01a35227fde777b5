/// A column that a migration adds to a table, and the source of its values in existing records.
struct AddedColumn {
    let column: HubEntity.Column
    let origin: ColumnOrigins.Origin
    /// The position, among the shapes that the migration adds, of the shape (version or historical variant) that
    /// introduced the column. Columns are filled in this order, because the values of a later shape may be computed
    /// from columns of an earlier one.
    let stage: Int

    var name: String { SQLText.identifier(column.name) }

    /// True if existing records get their values by an UPDATE, and not by the column's DEFAULT.
    var needsFill: Bool {
        if case .constant = origin { false } else { true }
    }

    var isCreation: Bool {
        if case .creation = origin { true } else { false }
    }

    var staysNull: Bool {
        if case .constant(.null) = origin { true } else { false }
    }

    /// The column's type and constraints for ADD COLUMN. A column that a later step fills may contain null until the
    /// contract step, the last one of the migration.
    var declaration: String {
        let type = SQLText.type(column.type)
        guard case .constant(let value) = origin, !staysNull else { return type }
        return "\(type)\(column.isNullable ? "" : " NOT NULL") DEFAULT \(SQLText.literal(value))"
    }
}
