import SQLText
package import WireFormats

/// The tables in which each app keeps the records of its entities, as far as the plans show.
package struct RecordTables: Sendable {
    /// The tables by app, then by an entity's name in any version.
    private var tables: [String: [String: String]] = [:]

    package init(_ plans: [Plan] = []) {
        for plan in plans {
            for shape in plan.projections {
                for (entity, projection) in zip(plan.hub.entities, shape) {
                    guard let projection else { continue }
                    tables[plan.app, default: [:]][projection.name] = entity.table
                }
            }
        }
    }

    /// Returns the names that an app's entities have in any version; empty if no plan of the app is known.
    func entities(of app: String) -> [String] { (tables[app] ?? [:]).keys.sorted() }

    func table(of entity: String, in app: String) -> String? { tables[app]?[entity] }

    func holds(_ table: SQLName) -> Bool {
        guard let schema = table.schema else { return false }
        return tables[schema]?.values.contains(table.name) ?? false
    }

    /// Returns all names, in any version, of the entities whose records are kept in a table.
    func entities(in table: SQLName) -> [String] {
        guard let schema = table.schema else { return [] }
        return (tables[schema] ?? [:]).filter { $0.value == table.name }.keys.sorted()
    }
}
