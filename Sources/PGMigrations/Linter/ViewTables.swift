import SQLText

/// The tables whose rows are changed through views of a line: PostgreSQL lets a view of one table be written.
struct ViewTables {
    private var views: [SQLName: QueryDefinition] = [:]

    mutating func take(_ statement: SQLStatement) {
        guard case .createQuery(let view) = statement.action, view.kind == .view, view.source != nil else { return }
        views[view.name] = view
    }

    /// The change as one of the table below, by its columns' names there.
    func resolved(_ change: RowChange) -> RowChange {
        var change = change
        // A view may be of a view; none is of itself.
        for _ in views {
            guard let view = views[change.table], let table = view.source else { return change }
            change = change.through(to: table) { view.columns[$0] ?? $0 }
        }
        return change
    }
}
