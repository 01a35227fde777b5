import WireFormats

/// A text that the database refuses, although all versions of the app allow it. It simulates a constraint that an
/// operator has added to a column. The database refuses only one text at a time.
struct Refusal {
    /// A column of the database, in which the database refuses a certain text.
    struct Column {
        let schema: String
        let table: String
        let name: String
        /// The index of the column's entity in the hub (the structure of the server's tables).
        let entity: Int
    }

    let column: Column
    /// For each of the plan's `shapes`, the name of the attribute whose text is stored unchanged in the column. `nil`
    /// if the version has no such attribute, or its values are converted before they are stored.
    let attributes: [String?]
    private var texts = 0
    /// The text that the database refuses at present; `nil` if it refuses none.
    private(set) var text: String?

    /// Chooses a text column in which the database will refuse texts. It is the column that the most versions write
    /// without a conversion.
    ///
    /// Returns `nil` if the app has no such column.
    init?(_ plan: Plan) {
        var best: (column: Column, attributes: [String?])?
        for entity in plan.hub.entities {
            // If attributes are linked, one version's value may be stored in another column.
            for unit in entity.units where unit.columns.count == 1 && entity.columns[unit.key].type == .text {
                let attributes = plan.projections.map { row in
                    row.lazy.compactMap { $0 }.first { $0.entity == entity.index }?.fields
                        .first { $0.column == unit.key && $0.type.kind == .string && $0.isPlainCopy }?.name
                }
                let column = Column(
                    schema: plan.hub.schema, table: entity.table, name: entity.columns[unit.key].name,
                    entity: entity.index)
                if attributes.count(where: { $0 != nil }) > best?.attributes.count(where: { $0 != nil }) ?? 0 {
                    best = (column, attributes)
                }
            }
        }
        guard let best else { return nil }
        (column, attributes) = best
    }

    /// Returns the text that the database refuses from now on. It is a new one each time, because the database may
    /// already store the earlier ones.
    mutating func begin() -> String {
        texts += 1
        let next = "refused \(texts)"
        text = next
        return next
    }

    mutating func end() {
        text = nil
    }

    /// Returns true if a change contains a text that the database refuses now, or has refused earlier in the run.
    func isEverMet(by change: Change) -> Bool {
        guard let attribute = attributes[change.version], case .string(let text)? = change.fields[attribute] else {
            return false
        }
        return text.hasPrefix("refused ")
    }

    func isMet(by change: Change) -> Bool {
        guard let text, let attribute = attributes[change.version] else { return false }
        return change.fields[attribute] == .string(text)
    }
}
