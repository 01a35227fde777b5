import WireFormats

/// The statements in the declaration of a version: all that describe it, or only the changes since the previous
/// version.
struct VersionStatements {
    /// The statements of the version's declaration, without `Inherits`.
    private(set) var elements: [Models.Statement] = []
    /// True if the version inherits the previous one. The statements are then only the changes.
    private(set) var inherits: Bool

    /// Creates the statements that declare a version.
    ///
    /// - Parameters:
    ///   - next: the version, aligned with `previous` by `SchemaAlignment` (same order, same original names).
    ///   - previous: the declared schema of the previous version; `nil` for the first version.
    init(_ next: Schema, after previous: Schema?) {
        guard let previous else {
            inherits = false
            elements = next.entities.map { .model(VersionStatements.whole($0)) }
            return
        }
        inherits = true
        let kept = Set(next.entities.map { $0.originalName ?? $0.name })
        for entity in previous.entities where !kept.contains(entity.name) {
            elements.append(.removed(RemovedModel(entity.name)))
        }
        for entity in next.entities {
            guard let base = previous.entity(entity.originalName ?? entity.name) else {
                elements.append(.model(VersionStatements.whole(entity)))
                continue
            }
            let members = VersionStatements.changes(entity, since: base)
            if !members.isEmpty || VersionStatements.isOtherwise(entity, base) {
                elements.append(.model(VersionStatements.head(entity, base, members)))
            }
        }
        restate(next, after: previous)
        if reached(next.version, after: previous).fingerprint != next.pairingInverses().schema.fingerprint {
            // If inheritance cannot express the version, it is written in full.
            inherits = false
            elements = next.entities.map { .model(VersionStatements.whole($0)) }
        }
    }

    private func reached(_ version: Schema.Version, after previous: Schema) -> Schema {
        Schema.resolving(Models(elements: elements), version: version, inheriting: previous).schema
            .pairingInverses().schema
    }

    private static func whole(_ entity: Schema.Entity) -> Model {
        Model(
            named: entity.name, originalName: entity.originalName, scope: entity.scope == .local ? .local : nil,
            multiplicity: entity.multiplicity == .many ? nil : entity.multiplicity,
            members: (entity.identity.map { [.identity($0, entity.identityType)] } ?? [])
                + entity.attributes.map { .attribute($0) }
                + entity.relationships.map { .relationship($0) })
    }

    private static func head(_ entity: Schema.Entity, _ base: Schema.Entity, _ members: [Model.Statement]) -> Model {
        Model(
            named: entity.name, originalName: entity.originalName,
            scope: entity.scope == base.scope ? nil : entity.scope,
            multiplicity: entity.multiplicity == base.multiplicity ? nil : entity.multiplicity, members: members)
    }

    private static func isOtherwise(_ entity: Schema.Entity, _ base: Schema.Entity) -> Bool {
        entity.originalName != nil || entity.scope != base.scope || entity.multiplicity != base.multiplicity
    }

    /// Returns statements for the members of an entity that differ from the previous version. Targets and inverses of
    /// relationships are compared later, by `restate`.
    private static func changes(_ entity: Schema.Entity, since base: Schema.Entity) -> [Model.Statement] {
        var members: [Model.Statement] = []
        let attributes = Set(entity.attributes.map { $0.originalName ?? $0.name })
        let relationships = Set(entity.relationships.map { $0.originalName ?? $0.name })
        let gone =
            base.attributes.map(\.name).filter { !attributes.contains($0) }
            + base.relationships.map(\.name).filter { !relationships.contains($0) }
        if !gone.isEmpty { members.append(.removed(gone)) }
        if let identity = entity.identity, identity != base.identity || entity.identityType != base.identityType {
            members.append(.identity(identity, entity.identityType))
        }
        for attribute in entity.attributes {
            let was = base.attribute(attribute.originalName ?? attribute.name)
            if attribute.originalName != nil || was?.with(originalName: .some(nil)) != attribute {
                members.append(.attribute(attribute))
            }
        }
        for relationship in entity.relationships {
            let was = base.relationships.first { $0.name == relationship.originalName ?? relationship.name }
            let isSame = was.map {
                $0.cardinality == relationship.cardinality && $0.deleteRule == relationship.deleteRule
            }
            if relationship.originalName != nil || isSame != true { members.append(.relationship(relationship)) }
        }
        return members
    }

    /// Adds a statement for each relationship that the statements so far would give another target or inverse than
    /// `next` has.
    private mutating func restate(_ next: Schema, after previous: Schema) {
        let paired = next.pairingInverses().schema
        // Computed again only after an added statement, because it is the whole schema.
        var come = reached(next.version, after: previous)
        for entity in next.entities {
            var isStated = false
            let now = come.entity(entity.name)
            let wanted = paired.entity(entity.name)
            for relationship in entity.relationships {
                let name = relationship.name
                let found = now?.relationships.first { $0.name == name }
                let expected = wanted?.relationships.first { $0.name == name }
                let isSame = found?.target == expected?.target && found?.inverse == expected?.inverse
                if !isSame || found == nil { isStated = state(relationship, of: entity) || isStated }
            }
            if isStated { come = reached(next.version, after: previous) }
        }
    }

    /// Adds a statement for a relationship.
    ///
    /// - Returns: true if it was added; false if there already was one.
    private mutating func state(_ relationship: Schema.Relationship, of entity: Schema.Entity) -> Bool {
        let index = elements.firstIndex { element in
            if case .model(let model) = element { model.name == entity.name } else { false }
        }
        guard let index, case .model(let model) = elements[index] else {
            elements.append(.model(Model(named: entity.name, members: [.relationship(relationship)])))
            return true
        }
        let isThere = model.members.contains { member in
            if case .relationship(let value) = member { value.name == relationship.name } else { false }
        }
        guard !isThere else { return false }
        elements[index] = .model(
            Model(
                named: model.name, originalName: model.originalName, scope: model.scope,
                multiplicity: model.multiplicity, members: model.members + [.relationship(relationship)]))
        return true
    }
}
