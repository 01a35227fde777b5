/// One entity followed through the stages by its names, with the attributes of each operation as places in the
/// versions' fields.
struct ChainEntity: Sendable {
    /// Its name in each version; `nil` where the version does not sync it.
    let names: [String?]
    /// By version; empty where it has none.
    let fields: [[Schema.Attribute]]
    /// By stage; empty where the entity is missing on either side.
    let stages: [[Step]]

    /// One operation with the places of its attributes. A class, because a case walks over hundreds of them, and a copy
    /// of an operation costs more than what most of them do.
    final class Step: Sendable {
        let operation: any LensOperation
        /// Places of what it consumes, in the older version's fields.
        let older: [Int]
        /// Places of what it produces, in the newer version's fields.
        let newer: [Int]
        /// The older version's field whose value is the substitute for a removed one.
        let source: Int?
        /// Whether one attribute becomes one, the same in both directions.
        let isCopy: Bool

        init(_ operation: any LensOperation, older: [Schema.Attribute], newer: [Schema.Attribute]) {
            func places(of names: [String], in fields: [Schema.Attribute]) -> [Int] {
                names.compactMap { name in fields.firstIndex { $0.name == name } }
            }
            self.operation = operation
            self.older = places(of: operation.older, in: older)
            self.newer = places(of: operation.newer, in: newer)
            if let removed = operation as? RemoveAttribute, case .attribute(let name) = removed.substitute {
                source = places(of: [name], in: older).first
            } else {
                source = nil
            }
            isCopy = (operation as? CarryAttribute).map { $0.olderSteps.isEmpty && $0.newerSteps.isEmpty } ?? false
        }
    }

    /// The entity that `version` calls `name`.
    init?(_ name: String, in version: Int, schemas: [Schema], stages: [Stage]) {
        var names: [String?] = Array(repeating: nil, count: schemas.count)
        names[version] = name
        for stage in (0..<version).reversed() {
            names[stage] = stages[stage].entities.first { $0.newer != nil && $0.newer == names[stage + 1] }?.older
        }
        for stage in version..<stages.count {
            names[stage + 1] = stages[stage].entities.first { $0.older != nil && $0.older == names[stage] }?.newer
        }
        let fields = zip(schemas, names).map { schema, name in name.flatMap(schema.entity)?.fields ?? [] }
        guard !fields[version].isEmpty else { return nil }
        self.names = names
        self.fields = fields
        self.stages = stages.indices.map { stage in
            let step = stages[stage].entities.first {
                $0.older != nil && $0.older == names[stage] && $0.newer != nil && $0.newer == names[stage + 1]
            }
            return (step?.operations ?? []).map { Step($0, older: fields[stage], newer: fields[stage + 1]) }
        }
    }
}
