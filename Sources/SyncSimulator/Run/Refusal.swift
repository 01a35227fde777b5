import WireFormats

/// Something that the database refuses though every version allows it, as where an operator has made a constraint of
/// its own: one text at a time, each only until it is fixed.
struct Refusal {
    /// Where it is refused.
    struct Column {
        let schema: String
        let table: String
        let name: String
        /// The identity of its entity.
        let entity: Int
    }

    let column: Column
    /// By place in the plan's `shapes`: what the version calls the attribute; `nil` where it has none.
    let attributes: [String?]
    private var texts = 0
    /// What is refused now.
    private(set) var text: String?

    /// The text column that most versions write as it is; `nil` where the app has none.
    init?(_ plan: Plan) {
        var best: (column: Column, attributes: [String?])?
        for entity in plan.hub.entities {
            // Of linked attributes, what one version writes may be another column's value.
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

    /// The next text to be refused: what the database has taken once, it must not be asked to take back.
    mutating func begin() -> String {
        texts += 1
        let next = "refused \(texts)"
        text = next
        return next
    }

    mutating func end() {
        text = nil
    }

    /// Whether a change has something that was refused at some time.
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
