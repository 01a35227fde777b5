/// One entity in all versions and historical variants of a plan, with the operations between them. An operation refers
/// to an attribute by its index in the entity's fields.
struct ChainEntity: Sendable {
    let tree: ShapeTree
    /// By shape (version or historical variant): the entity's name in it; `nil` if the shape does not sync the entity.
    let names: [String?]
    /// By shape (version or historical variant): the entity's fields; empty if the shape does not have the entity.
    let fields: [[Schema.Attribute]]
    /// By stage: the operations on the entity's attributes. Empty if the shape before or after the stage does not have
    /// the entity.
    let stages: [[Step]]

    /// One operation of a stage, with the indices of its attributes. A class, because one test case runs hundreds of
    /// operations, and copying an operation as a struct costs more than running it.
    final class Step: Sendable {
        let operation: any LensOperation
        /// The attributes that the operation reads, as indices in the older version's fields.
        let older: [Int]
        /// The attributes that the operation produces, as indices in the newer version's fields.
        let newer: [Int]
        /// The attribute that older versions read in place of the one that the operation removes, as an index in the
        /// older version's fields. `nil` if the operation removes no attribute, or if older versions read no other
        /// attribute in its place.
        let source: Int?
        /// True if the operation only passes the value of one attribute on to one attribute, unchanged in both
        /// directions.
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

    /// Follows an entity through all stages, beginning at the version or historical variant that calls it `name`.
    /// Returns `nil` if that shape does not sync the entity, or syncs no field of it.
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
