/// The relationships of one entity that differ between two versions: in their name, inverse or delete rule, or in the
/// entity to which they refer.
///
/// To-one relationships are matched by their columns. To-many relationships have no columns and are matched by their
/// names. If an entity is only renamed, the relationships to it do not count as changed, although their declared type
/// changes: the renaming itself is reported.
struct RelationshipChanges {
    let members: [SchemaDifference.Member]

    /// Compares the relationships of one entity in two versions or historical variants.
    ///
    /// - Parameters:
    ///   - entity: an index in `Hub.entities`.
    ///   - from: the first of the two, as an index in `Plan.shapes`.
    ///   - to: the second of the two, as an index in `Plan.shapes`.
    init(_ plan: Plan, entity: Int, from: Int, to: Int) {
        let lineages = Self.toOne(plan, entity) + Self.toMany(plan, entity, in: [from, to])
        members = lineages.compactMap { lineage in
            switch (lineage[from], lineage[to]) {
            case (nil, nil): return nil
            case (let before?, nil):
                // A column that one version lacks is reported with the attributes.
                return before.cardinality == .toOne ? nil : .init(before: [SchemaMember(before)], after: [])
            case (nil, let after?):
                return after.cardinality == .toOne ? nil : .init(before: [], after: [SchemaMember(after)])
            case (let before?, let after?):
                let isSameTarget = plan.entity(before.target, in: from) == plan.entity(after.target, in: to)
                guard !isSameTarget || !before.saysTheSame(as: after) else { return nil }
                let spans = before.deleteRule == after.deleteRule ? [] : Self.spans(lineage, plan)
                return .init(before: [SchemaMember(before)], after: [SchemaMember(after)], deleteRules: spans)
            }
        }
    }

    /// By version: one relationship as that version declares it; `nil` if the version does not have the relationship.
    private typealias Lineage = [Schema.Relationship?]

    private static func toOne(_ plan: Plan, _ entity: Int) -> [Lineage] {
        plan.hub.entities[entity].references.map { reference in
            plan.shapes.indices.map { version in
                let projection = plan.projections[version][entity]
                guard let field = projection?.fields.first(where: { $0.column == reference.column }) else { return nil }
                return relationships(plan, entity, version).first { $0.name == field.name }
            }
        }
    }

    private static func toMany(_ plan: Plan, _ entity: Int, in versions: [Int]) -> [Lineage] {
        var names: [String] = []
        for version in versions {
            for relationship in relationships(plan, entity, version)
            where relationship.cardinality == .toMany && !names.contains(relationship.name) {
                names.append(relationship.name)
            }
        }
        return names.map { name in
            plan.shapes.indices.map { version in
                relationships(plan, entity, version).first { $0.cardinality == .toMany && $0.name == name }
            }
        }
    }

    private static func relationships(_ plan: Plan, _ entity: Int, _ version: Int) -> [Schema.Relationship] {
        plan.projections[version][entity].flatMap { plan.shapes[version].entity($0.name) }?.relationships ?? []
    }

    private static func spans(_ lineage: Lineage, _ plan: Plan) -> [SchemaDifference.DeleteRuleSpan] {
        var spans: [SchemaDifference.DeleteRuleSpan] = []
        for (schema, relationship) in zip(plan.schemas, lineage) {
            guard let rule = relationship?.deleteRule else { continue }
            let before = spans.last?.rule == rule ? spans.removeLast().versions : []
            spans.append(.init(rule: rule, versions: before + [schema.version]))
        }
        return spans
    }
}

extension Schema.Relationship {
    fileprivate func saysTheSame(as other: Schema.Relationship) -> Bool {
        name == other.name && deleteRule == other.deleteRule && inverse == other.inverse
    }
}

extension Plan {
    /// The index in `Hub.entities` of the entity that `version` calls `name`; `nil` if there is none.
    fileprivate func entity(_ name: String, in version: Int) -> Int? {
        projection(version: version, named: name)?.entity
    }
}
