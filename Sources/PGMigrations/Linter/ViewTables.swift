import SQLText

/// The tables behind the views that migrations create. PostgreSQL allows changes through a view that reads only one
/// table.
struct ViewTables {
    private var views: [SQLName: QueryDefinition] = [:]

    mutating func take(_ statement: SQLStatement) {
        guard case .createQuery(let view) = statement.action, view.kind == .view, view.source != nil else { return }
        views[view.name] = view
    }

    /// Returns a change that is made through a view as a change of the table behind the view, with the table's column
    /// names. Returns any other change as it is.
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
