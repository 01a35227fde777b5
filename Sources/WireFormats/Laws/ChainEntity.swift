/// One entity followed through the stages by its names. The attributes of each operation are indices in the versions'
/// fields.
struct ChainEntity: Sendable {
    let tree: ShapeTree
    /// The entity's name in each shape; `nil` if the shape does not sync the entity.
    let names: [String?]
    /// The entity's fields by shape; empty if the shape does not have the entity.
    let fields: [[Schema.Attribute]]
    /// The operations by stage; empty if the entity is missing on either side.
    let stages: [[Step]]

    /// One operation with the indices of its attributes. A class, because a case runs through hundreds of them, and
    /// copying an operation costs more than most operations do.
    final class Step: Sendable {
        let operation: any LensOperation
        /// The attributes that the operation reads, as indices in the older version's fields.
        let older: [Int]
        /// The attributes that the operation produces, as indices in the newer version's fields.
        let newer: [Int]
        /// The older version's field whose value is the substitute for a removed field.
        let source: Int?
        /// True if one attribute becomes one, with the same value in both directions.
        let isCopy: Bool

        init(_ operation: any LensOperation, older: [Schema.Attribute], newer: [Schema.Attribute]) {
            func indices(of names: [String], in fields: [Schema.Attribute]) -> [Int] {
                names.compactMap { name in fields.firstIndex { $0.name == name } }
            }
            self.operation = operation
            self.older = indices(of: operation.older, in: older)
            self.newer = indices(of: operation.newer, in: newer)
            if let removed = operation as? RemoveAttribute, case .attribute(let name) = removed.substitute {
                source = indices(of: [name], in: older).first
            } else {
                source = nil
            }
            isCopy = (operation as? CarryAttribute).map { $0.olderSteps.isEmpty && $0.newerSteps.isEmpty } ?? false
        }
    }

    /// The entity that `shape` calls `name`.
    init?(_ name: String, in shape: Int, of tree: ShapeTree) {
        var names: [String?] = Array(repeating: nil, count: tree.shapes.count)
        names[shape] = name
        for hop in tree.hops(from: shape) {
            let (stage, origin) = (tree.stages[hop.stage], tree.origin(of: hop.stage))
            if hop.isUpward {
                names[hop.stage + 1] = stage.entities.first { $0.older != nil && $0.older == names[origin] }?.newer
            } else {
                names[origin] = stage.entities.first { $0.newer != nil && $0.newer == names[hop.stage + 1] }?.older
            }
        }
        let fields = zip(tree.shapes, names).map { schema, name in name.flatMap(schema.entity)?.fields ?? [] }
        guard !fields[shape].isEmpty else { return nil }
        self.tree = tree
        self.names = names
        self.fields = fields
        stages = tree.stages.enumerated().map { index, stage in
            let (older, newer) = (tree.origin(of: index), index + 1)
            let step = stage.entities.first {
                $0.older != nil && $0.older == names[older] && $0.newer != nil && $0.newer == names[newer]
            }
            return (step?.operations ?? []).map { Step($0, older: fields[older], newer: fields[newer]) }
        }
    }
}
