/// What happens between two neighbouring versions, in words and names: for review, before a version ships.
package struct StageExplanation: Sendable {
    package let from: Schema.Version
    package let to: Schema.Version
    package let isCustom: Bool
    /// Those with which something happens.
    package let entities: [Entity]
    /// What the tables need.
    package let hub: [HubChange]

    /// What becomes of one entity.
    package struct Entity: Sendable {
        /// Its name on each side; `nil` where the version does not sync it.
        package let before: String?
        package let after: String?
        /// Those that change something.
        package let operations: [Operation]
        /// How many attributes stay as they are.
        package let unchanged: Int
        /// The versions that have the entity, up to the older one of the stage.
        package let olderVersions: [Schema.Version]
    }

    /// What becomes of one attribute, or of several that are converted together.
    package struct Operation: Sendable {
        package let summary: String
        package let before: [String]
        package let after: [String]
        package let fidelity: Fidelity
        /// What the older versions that have the entity will see; `nil` where they notice nothing.
        package let consequence: String?
    }

    /// - Parameter stage: the place in `Plan.schemas` of the older version.
    package init(_ plan: Plan, stage: Int) {
        from = plan.schemas[stage].version
        to = plan.schemas[stage + 1].version
        isCustom = plan.stages[stage].isCustom
        entities = plan.stages[stage].entities.compactMap { step in
            let operations = step.operations.filter(\.changesSomething)
            guard step.older != step.newer || !operations.isEmpty else { return nil }
            return Entity(
                before: step.older, after: step.newer, operations: operations.map { Operation($0) },
                unchanged: step.operations.count - operations.count,
                olderVersions: step.older.map { Self.versions(of: $0, upTo: stage, in: plan) } ?? [])
        }
        hub = HubChange.changes(from: plan.cut(after: stage).hub, to: plan.cut(after: stage + 1).hub)
    }

    private static func versions(of name: String, upTo version: Int, in plan: Plan) -> [Schema.Version] {
        guard let entity = plan.projection(version: version, named: name)?.entity else { return [] }
        return (0...version).filter { plan.projections[$0][entity] != nil }.map { plan.schemas[$0].version }
    }
}

extension StageExplanation.Operation {
    init(_ operation: any LensOperation) {
        self.init(
            summary: operation.summary, before: operation.older, after: operation.newer, fidelity: operation.fidelity,
            consequence: operation.consequence)
    }
}

extension LensOperation {
    /// Whether the attribute is another one afterwards than before: of most, nothing changes.
    var changesSomething: Bool {
        guard let carried = self as? CarryAttribute else { return true }
        // What it refers to is the same entity; where that was renamed, the entity's own step says so.
        if case .reference = carried.to.type.kind { return carried.from.name != carried.to.name }
        return SchemaMember(carried.from) != SchemaMember(carried.to)
    }
}
