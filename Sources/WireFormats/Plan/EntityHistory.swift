/// The history of one entity through all versions of a plan.
package struct EntityHistory: Sendable {
    /// The name that the entity had first. It identifies the entity, even after the entity was renamed.
    package let identity: String
    package let table: String
    package let isSingleton: Bool
    /// The entity's name in each of `shapes`; `nil` if the version or variant does not sync the entity.
    package let names: [String?]
    /// The names of the versions, then the names of the historical variants (other shapes that were shipped under a
    /// version's number).
    package let shapes: [ShapeName]
    /// The histories of the attributes, in the order of their columns. Attributes that conversions link have one
    /// history together.
    package let attributes: [AttributeHistory]

    /// The history of the entity that some version or historical variant calls `name`. If several use the name, the
    /// newest version decides. `nil` if none of them syncs such an entity.
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

    /// The histories of the attributes that some version calls `name`.
    package func attributes(named name: String) -> [AttributeHistory] {
        attributes.filter { attribute in
            attribute.moments.contains { moment in moment.fields.contains { $0.member.name == name } }
        }
    }
}
