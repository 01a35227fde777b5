/// A column that a migration adds to a table, and the source of its values in existing records.
struct AddedColumn {
    let column: HubEntity.Column
    let origin: ColumnOrigins.Origin
    /// The shape that introduced the column. The values of columns of later shapes may be computed from columns of
    /// earlier shapes.
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
