/// The history of one entity through all versions of a plan.
package struct EntityHistory: Sendable {
    /// The entity's first name, by which it is identified in spite of renamings.
    package let identity: String
    package let table: String
    package let isSingleton: Bool
    /// The entity's name in each shape; `nil` if the shape does not sync the entity.
    package let names: [String?]
    /// The shapes: the versions, then the historical variants.
    package let shapes: [ShapeName]
    /// The attributes, in the order of their columns.
    package let attributes: [AttributeHistory]

    /// The history of the entity that some shape calls `name`. If several shapes use the name, the newest version
    /// decides. `nil` if no shape syncs such an entity.
    package init?(_ plan: Plan, named name: String) {
        let indices = plan.schemas.indices.reversed() + Array(plan.schemas.count..<plan.shapes.count)
        let found = indices.lazy.compactMap { plan.projection(version: $0, named: name) }.first
        guard let entity = found?.entity else { return nil }
        let hub = plan.hub.entities[entity]
        identity = hub.identity
        table = hub.table
        isSingleton = hub.singleton != nil
        names = plan.projections.map { $0[entity]?.name }
        shapes = plan.shapes.indices.map(plan.name)
        attributes = hub.units.indices.map { AttributeHistory(plan, entity: entity, unit: $0) }
    }

    /// The attributes that some version calls `name`.
    package func attributes(named name: String) -> [AttributeHistory] {
        attributes.filter { attribute in
            attribute.moments.contains { moment in moment.fields.contains { $0.member.name == name } }
        }
    }
}
