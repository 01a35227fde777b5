import SQLText

/// The tables behind the views of a line. PostgreSQL allows writing through a view of one table.
struct ViewTables {
    private var views: [SQLName: QueryDefinition] = [:]

    mutating func take(_ statement: SQLStatement) {
        guard case .createQuery(let view) = statement.action, view.kind == .view, view.source != nil else { return }
        views[view.name] = view
    }

    /// Returns the change as one of the underlying table, with the names that the columns have there.
    func resolved(_ change: RowChange) -> RowChange {
        var change = change
        // A view may refer to another view, but none to itself.
        for _ in views {
            guard let view = views[change.table], let table = view.source else { return change }
            change = change.through(to: table) { view.columns[$0] ?? $0 }
        }
        return change
    }
}
