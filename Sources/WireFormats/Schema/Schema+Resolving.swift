extension Schema {
    /// The schema that `declaration` states, including everything that it inherits.
    package static func resolved(_ declaration: any VersionedSchema.Type) -> Schema {
        resolving(declaration).schema
    }

    /// Returns the schema that `declaration` states, including everything that it inherits, and the problems in the
    /// declaration.
    ///
    /// A renamed entity keeps its position in the list. If the target or inverse of an inherited relationship is
    /// renamed, the relationship refers to the new name.
    static func resolving(_ declaration: any VersionedSchema.Type) -> (schema: Schema, problems: [PlanProblem]) {
        resolving(declaration.models, version: declaration.versionIdentifier)
    }

    /// Returns the schema that `models` declares, and the problems in the declaration. It serves declarations that are
    /// not part of a `VersionedSchema` type.
    ///
    /// - Parameter base: a schema to inherit, in addition to what `models` inherits by itself.
    package static func resolving(
        _ models: Models, version: Schema.Version, inheriting base: Schema? = nil
    ) -> (schema: Schema, problems: [PlanProblem]) {
        var resolver = SchemaResolver(version: version)
        if let base { resolver.inherit(base) }
        resolver.apply(models)
        return (Schema(version: version, entities: resolver.entities), resolver.problems)
    }
}

/// Builds the entities of a schema from the statements of one `Models` declaration, in declared order.
private struct SchemaResolver {
    let version: Schema.Version
    var entities: [Schema.Entity] = []
    var problems: [PlanProblem] = []
    private var declared: Set<String> = []
    /// True if the version inherits another one. A version that inherits none may use original names too. They then
    /// refer to the version before, and are checked when the stage between the two versions is compiled.
    private var hasBase = false

    init(version: Schema.Version) {
        self.version = version
    }

    mutating func apply(_ models: Models) {
        let bases = models.elements.compactMap { element in
            if case .inherits(let base) = element { base } else { nil }
        }
        // The base reports its own problems at its own position in the plan.
        if let base = bases.first { inherit(Schema.resolving(base).schema) }
        if bases.count > 1 { report(.duplicate("Inherits", version: version)) }
        for element in models.elements {
            switch element {
            case .inherits: break
            case .removed(let model): remove(model.name)
            case .model(let model): declare(model)
            case .undecided(let question): report(question.problem(in: "the models, \(version)"))
            }
        }
    }

    mutating func inherit(_ base: Schema) {
        hasBase = true
        entities = base.entities.map { $0.withoutHistory() }
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
            if let originalName = model.originalName, hasBase {
                report(.unknownName(originalName, in: entities.map(\.name), version: version))
            }
            let empty = Schema.Entity(
                name: model.name, originalName: nil, scope: .synced, multiplicity: .many, identity: nil,
                attributes: [], relationships: [])
            return entities.append(amended(empty, by: model))
        }
        entities[index] = amended(entities[index], by: model)
        if model.originalName != nil { retarget(from: inheritedName, to: model.name) }
    }

    private mutating func amended(_ entity: Schema.Entity, by model: Model) -> Schema.Entity {
        var (identity, identityType) = (entity.identity, entity.identityType)
        var attributes = Members(inherited: entity.attributes)
        var relationships = Members(inherited: entity.relationships)
        for member in model.members {
            switch member {
            case .identity(let name, let type): (identity, identityType) = (name, type)
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
                for name in names where !attributes.remove(name) && !relationships.remove(name) {
                    let candidates = attributes.inheritedNames + relationships.inheritedNames
                    report(.unknownName("\(model.name).\(name)", in: candidates, version: version))
                }
            case .undecided(let question): report(question.problem(in: "\(model.name), \(version)"))
            }
        }
        return Schema.Entity(
            name: model.name, originalName: model.originalName, scope: model.scope ?? entity.scope,
            multiplicity: model.multiplicity ?? entity.multiplicity, identity: identity, identityType: identityType,
            attributes: attributes.all, relationships: relationships.all)
    }

    private mutating func place<Member: Named>(
        _ member: Member, named name: String, was originalName: String?, in members: inout Members<Member>,
        of entity: String
    ) {
        let candidates = members.inheritedNames
        let isKnown = members.place(member, for: originalName ?? name)
        if let originalName, !isKnown, hasBase {
            report(.unknownName("\(entity).\(originalName)", in: candidates, version: version))
        }
    }

    /// Changes the target of every relationship from the entity once called `old` to `new`.
    private mutating func retarget(from old: String, to new: String) {
        entities = entities.map { entity in
            entity.withRelationships { $0.target == old ? $0.with(target: new) : $0 }
        }
    }

    /// Changes the inverse to `new` in every relationship with the target `target` whose inverse was `old`.
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

/// The members of an entity: the inherited ones with this version's changes, then the new ones.
///
/// A change refers to a member by the name under which it was inherited, and each inherited member can be changed only
/// once. So two members can exchange their names. A member that is declared twice is in the list twice, so that the
/// plan's check reports it.
private struct Members<Member: Named> {
    private var slots: [(inheritedName: String?, member: Member)]

    init(inherited: [Member]) {
        slots = inherited.map { ($0.name, $0) }
    }

    var all: [Member] { slots.map(\.member) }

    var inheritedNames: [String] { slots.compactMap(\.inheritedName) }

    /// Replaces the member that was inherited under `name`, or appends `member` if there is none. Returns true if a
    /// member was replaced.
    mutating func place(_ member: Member, for name: String) -> Bool {
        guard let index = slots.firstIndex(where: { $0.inheritedName == name }) else {
            slots.append((nil, member))
            return false
        }
        slots[index] = (nil, member)
        return true
    }

    /// Removes the member inherited as `name`. Returns true if there was one.
    mutating func remove(_ name: String) -> Bool {
        guard let index = slots.firstIndex(where: { $0.inheritedName == name }) else { return false }
        slots.remove(at: index)
        return true
    }
}

extension Schema.Attribute: Named {
    /// The attribute without its original name, as a later version inherits it.
    fileprivate func withoutHistory() -> Schema.Attribute {
        Schema.Attribute(
            name: name, originalName: nil, type: type, default: `default`, scope: scope, unit: unit, isUnique: isUnique,
            merge: merge)
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
            name: name, originalName: nil, scope: scope, multiplicity: multiplicity, identity: identity,
            identityType: identityType, attributes: attributes.map { $0.withoutHistory() },
            relationships: relationships.map { $0.with() })
    }

    fileprivate func withRelationships(_ change: (Schema.Relationship) -> Schema.Relationship) -> Schema.Entity {
        Schema.Entity(
            name: name, originalName: originalName, scope: scope, multiplicity: multiplicity, identity: identity,
            identityType: identityType, attributes: attributes, relationships: relationships.map(change))
    }
}
