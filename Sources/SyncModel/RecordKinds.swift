import WireFormats

/// A builder that follows each entity of a plan through its versions. The results are in `all`.
struct RecordKinds {
    private let tree: VersionTree
    private(set) var all: [RecordKind] = []

    init(_ tree: VersionTree) throws(ModelError) {
        self.tree = tree
        let first = tree.history[0]
        var tracers = tree.schemas[first].entities.filter { $0.scope == .synced }.map {
            KindTracer($0, in: first, of: tree)
        }
        for shape in tree.history.dropFirst() {
            let stage = tree.stages[shape - 1]
            for entity in tree.schemas[shape].entities where entity.scope == .synced {
                if let before = predecessor(of: entity, by: stage),
                    let index = tracers.firstIndex(where: { $0.kind.names[stage.older] == before.name })
                {
                    try tracers[index].advance(by: stage, from: before, to: entity)
                } else {
                    tracers.append(KindTracer(entity, in: shape, of: tree))
                }
            }
        }
        let names = tracers.map(\.kind.names)
        all = tracers.map { $0.finished(names) }
    }

    /// Returns the entity of the older version that became this entity in the newer version: the one with its original
    /// name, or else with its present name.
    ///
    /// Returns `nil` if there is none. It also returns `nil` if the present name is declared as the original name of
    /// another entity.
    private func predecessor(of entity: Schema.Entity, by stage: VersionTree.Stage) -> Schema.Entity? {
        let (older, newer) = (tree.schemas[stage.older], tree.schemas[stage.newer])
        if entity.originalName == nil, newer.entities.contains(where: { $0.originalName == entity.name }) { return nil }
        return older.entity(entity.originalName ?? entity.name).flatMap { $0.scope == .synced ? $0 : nil }
    }
}
