extension Schema {
    /// The schema that `declaration` states, with everything that it inherits, and what is wrong with it.
    ///
    /// Renamed entities keep their place, and relationships follow them: a target or inverse named in an inherited
    /// relationship means the identity, not the word.
    static func resolving(_ declaration: any VersionedSchema.Type) -> (schema: Schema, problems: [PlanProblem]) {
        var resolver = SchemaResolver(version: declaration.versionIdentifier)
        resolver.apply(declaration.models)
        let schema = Schema(version: declaration.versionIdentifier, entities: resolver.entities)
        return (schema, resolver.problems)
    }
}

/// Folds the elements of one `Models` declaration into entities, in declared order.
private struct SchemaResolver {
    let version: Schema.Version
    var entities: [Schema.Entity] = []
    var problems: [PlanProblem] = []
    private var declared: Set<String> = []

    init(version: Schema.Version) {
        self.version = version
    }

    mutating func apply(_ models: Models) {
        for element in models.elements {
            switch element {
            case .inherits(let base): inherit(base)
            case .removed(let model): remove(model.name)
            case .model(let model): declare(model)
            }
        }
    }

    private mutating func inherit(_ base: any VersionedSchema.Type) {
        // The base reports its own problems where it stands in the plan.
        entities = Schema.resolving(base).schema.entities.map { $0.withoutHistory() }
    }

    private mutating func remove(_ name: String) {
        guard let index = entities.firstIndex(where: { $0.name == name }) else {
            return report(.unknownName(name, in: entities.map(\.name), version: version))
        }
        entities.remove(at: index)
    }

    private mutating func declare(_ model: Model) {
        if !declared.insert(model.name).inserted {
            report(.duplicate("entity \(model.name)", version: version))
        }
        let inheritedName = model.originalName ?? model.name
        guard let index = entities.firstIndex(where: { $0.name == inheritedName }) else {
            if let originalName = model.originalName {
                report(.unknownName(originalName, in: entities.map(\.name), version: version))
            }
            let empty = Schema.Entity(
                name: model.name, originalName: nil, scope: model.scope ?? .synced, identity: nil, attributes: [],
                relationships: [])
            return entities.append(amended(empty, by: model))
        }
        entities[index] = amended(entities[index], by: model)
        if model.originalName != nil { retarget(from: inheritedName, to: model.name) }
    }

    private mutating func amended(_ entity: Schema.Entity, by model: Model) -> Schema.Entity {
        var identity = entity.identity
        var attributes = entity.attributes
        var relationships = entity.relationships
        for member in model.members {
            switch member {
            case .identity(let name): identity = name
            case .attribute(let attribute):
                place(attribute, named: attribute.name, was: attribute.originalName, in: &attributes, of: model.name)
            case .relationship(let relationship):
                place(
                    relationship, named: relationship.name, was: relationship.originalName, in: &relationships,
                    of: model.name)
                if let originalName = relationship.originalName {
                    renameInverse(originalName, to: relationship.name, of: entity.name)
                }
            case .removed(let names):
                for name in names where !remove(name, from: &attributes) && !remove(name, from: &relationships) {
                    let candidates = attributes.map(\.name) + relationships.map(\.name)
                    report(.unknownName("\(model.name).\(name)", in: candidates, version: version))
                }
            }
        }
        return Schema.Entity(
            name: model.name, originalName: model.originalName, scope: model.scope ?? entity.scope, identity: identity,
            attributes: attributes, relationships: relationships)
    }

    private mutating func place<Member: Named>(
        _ member: Member, named name: String, was originalName: String?, in members: inout [Member], of entity: String
    ) {
        if let index = members.firstIndex(where: { $0.name == originalName ?? name }) {
            members[index] = member
            return
        }
        if let originalName {
            report(.unknownName("\(entity).\(originalName)", in: members.map(\.name), version: version))
        }
        members.append(member)
    }

    private func remove<Member: Named>(_ name: String, from members: inout [Member]) -> Bool {
        guard let index = members.firstIndex(where: { $0.name == name }) else { return false }
        members.remove(at: index)
        return true
    }

    /// Makes every relationship to the entity once called `old` say `new`.
    private mutating func retarget(from old: String, to new: String) {
        entities = entities.map { entity in
            entity.withRelationships { $0.target == old ? $0.with(target: new) : $0 }
        }
    }

    /// Makes every relationship whose inverse was `old` of `target` say `new`.
    private mutating func renameInverse(_ old: String, to new: String, of target: String) {
        entities = entities.map { entity in
            entity.withRelationships { $0.target == target && $0.inverse == old ? $0.with(inverse: new) : $0 }
        }
    }

    private mutating func report(_ problem: PlanProblem) {
        problems.append(problem)
    }
}

private protocol Named {
    var name: String { get }
}

extension Schema.Attribute: Named {
    /// As it stands in a version that changes nothing about it.
    fileprivate func withoutHistory() -> Schema.Attribute {
        Schema.Attribute(name: name, originalName: nil, type: type, default: `default`, scope: scope)
    }
}

extension Schema.Relationship: Named {
    fileprivate func with(
        target: String? = nil, inverse: String? = nil, originalName: String? = nil
    ) -> Schema.Relationship {
        Schema.Relationship(
            name: name, originalName: originalName, target: target ?? self.target, cardinality: cardinality,
            deleteRule: deleteRule, inverse: inverse ?? self.inverse)
    }
}

extension Schema.Entity {
    fileprivate func withoutHistory() -> Schema.Entity {
        Schema.Entity(
            name: name, originalName: nil, scope: scope, identity: identity,
            attributes: attributes.map { $0.withoutHistory() }, relationships: relationships.map { $0.with() })
    }

    fileprivate func withRelationships(_ change: (Schema.Relationship) -> Schema.Relationship) -> Schema.Entity {
        Schema.Entity(
            name: name, originalName: originalName, scope: scope, identity: identity, attributes: attributes,
            relationships: relationships.map(change))
    }
}
