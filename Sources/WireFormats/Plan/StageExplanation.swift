/// A description, in words, of the changes between two neighbouring versions, for review before a version is published.
package struct StageExplanation: Sendable {
    package let from: ShapeName
    package let to: ShapeName
    package let isCustom: Bool
    /// The entities that change.
    package let entities: [Entity]
    /// The changes to the server's tables that the stage needs.
    package let hub: [HubChange]

    /// The change of one entity.
    package struct Entity: Sendable {
        /// The entity's name in the older version; `nil` if the older version does not sync the entity.
        package let before: String?
        package let after: String?
        /// The operations that change an attribute of the entity. Attributes that stay as they are need none.
        package let operations: [Operation]
        /// The number of the entity's attributes that the stage does not change.
        package let unchanged: Int
        /// The versions that have the entity, up to and including the older version of the stage.
        package let olderVersions: [Schema.Version]
    }

    /// The change of one attribute, or of several that are converted together.
    package struct Operation: Sendable {
        package let summary: String
        package let before: [String]
        package let after: [String]
        package let fidelity: Fidelity
        /// The effect of the change on clients of the older versions that have the entity; `nil` if there is none.
        package let consequence: String?
    }

    /// Describes a stage.
    ///
    /// - Parameter stage: an index in `Plan.stages`. A stage between two versions has the same index as the older
    ///   version in `Plan.schemas`.
    package init(_ plan: Plan, stage: Int) {
        let origin = plan.tree.origin(of: stage)
        from = plan.name(of: origin)
        to = plan.name(of: stage + 1)
        isCustom = plan.stages[stage].isCustom
        entities = plan.stages[stage].entities.compactMap { step in
            let operations = step.operations.filter(\.changesSomething)
            guard step.older != step.newer || !operations.isEmpty else { return nil }
            return Entity(
                before: step.older, after: step.newer, operations: operations.map { Operation($0) },
                unchanged: step.operations.count - operations.count,
                olderVersions: step.older.map { Self.versions(of: $0, upTo: origin, in: plan) } ?? [])
        }
        let age = plan.tree.growth.prefix { $0 != stage + 1 }.count
        hub = HubChange.changes(from: Self.hub(of: plan, shapes: age), to: Self.hub(of: plan, shapes: age + 1))
    }

    /// Returns the tables as they were when the plan had only its first `count` shapes. A shape is a version or a
    /// historical variant.
    private static func hub(of plan: Plan, shapes count: Int) -> Hub {
        HubCompiler(app: plan.app, tree: plan.tree.grown(count)).compile().0
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
    /// True if the operation changes an attribute. Most operations only carry an attribute over to the next version, as
    /// it is.
    var changesSomething: Bool {
        guard let carried = self as? CarryAttribute else { return true }
        // The reference leads to the same entity. If the entity was renamed, the entity's own step says so.
        if case .reference = carried.to.type.kind { return carried.from.name != carried.to.name }
        return SchemaMember(carried.from) != SchemaMember(carried.to)
    }
}
