import SourceFacts
import WireFormats

/// Completes a version of the sources with decisions that only the migration plan contains. These are local attributes
/// and models, merge units (attributes that win or lose together), merge policies, and defaults that the app does not
/// state. The plan also gives types that the sources do not determine.
struct PlanAdoption {
    private(set) var draft: DraftSchema

    init(_ draft: DraftSchema, by plan: Schema) {
        self.draft = draft
        for index in draft.entities.indices {
            guard let decided = plan.entity(draft.entities[index].name) else { continue }
            adopt(decided, index)
        }
        // Add models that exist only by an answer in the plan, such as the one between two lists.
        let names = Set(self.draft.entities.map(\.name))
        let targets = Set(self.draft.entities.flatMap(\.relationships).map(\.value.target)).subtracting(names)
        for entity in plan.entities where targets.contains(entity.name) || isBetween(entity, names, plan) {
            guard !names.contains(entity.name) else { continue }
            self.draft.entities.append(DraftEntity(entity, location: draft.location))
        }
    }

    /// Returns true if `entity`, which only the plan has, is a linking model. It refers to several models of the
    /// sources, and at least one of these has a many-to-many relationship.
    private func isBetween(_ entity: Schema.Entity, _ names: Set<String>, _ plan: Schema) -> Bool {
        let asked = draft.questions.filter { $0.code == .manyToMany }.compactMap(\.entity)
        let targets = entity.relationships.filter { $0.cardinality == .toOne }.map(\.target)
        return targets.count > 1 && targets.allSatisfy(names.contains) && targets.contains(where: asked.contains)
    }

    private mutating func adopt(_ decided: Schema.Entity, _ index: Int) {
        var entity = draft.entities[index]
        let open = draft.questions.filter { $0.entity == entity.name }
        entity.scope = decided.scope
        entity.multiplicity = decided.multiplicity
        // The plan may choose the identity, but only among the class's properties.
        if let identity = decided.identity, open.contains(where: { $0.code == .identity }),
            entity.attributes.contains(where: { $0.value.name == identity })
        {
            (entity.identity, entity.identityType) = (identity, decided.identityType)
            entity.attributes.removeAll { $0.value.name == identity }
        } else if entity.identityType == .string, let identity = entity.identity, decided.identity != identity,
            let attribute = decided.attribute(identity)
        {
            // The plan treats the class's id as an attribute, and its records have separate ids.
            (entity.identity, entity.identityType) = (decided.identity, decided.identityType)
            entity.attributes.append(
                .init(value: attribute.with(originalName: .some(nil)), location: entity.location))
        }
        if let base = draft.entities.first(where: { $0.node == entity.base })?.name,
            decided.relationships.contains(where: { $0.target == base && $0.cardinality == .toOne })
        {
            adoptBase(base, decided, &entity)
        }
        if decided.scope == .local {
            // Local models are not compared, because no other device sees them.
            entity = DraftEntity(decided, location: entity.location)
            entity.node = draft.entities[index].node
        } else {
            let undecided = Set(open.filter(\.leavesOut).compactMap(\.member))
            for member in entity.attributes.indices {
                adopt(
                    decided, &entity.attributes[member],
                    isDefaultOpen: open.contains {
                        $0.code == .standard && $0.member == entity.attributes[member].value.name
                    })
            }
            adoptRelationships(decided, &entity)
            for attribute in decided.attributes where undecided.contains(attribute.name) {
                entity.attributes.append(.init(value: attribute, location: location(attribute.name, open, entity)))
            }
            for relationship in decided.relationships
            where undecided.contains(relationship.name) || isSupplement(relationship, entity) {
                entity.relationships.append(
                    .init(
                        value: relationship, location: location(relationship.name, open, entity), target: -1))
            }
        }
        draft.entities[index] = entity
        // A question is answered if the plan has its subject, whatever the answer.
        let members = Set(decided.attributes.map(\.name) + decided.relationships.map(\.name))
        draft.questions.removeAll { question in
            guard question.entity == decided.name else { return false }
            if decided.scope == .local { return true }
            // A missing inverse is an error in the sources, which a plan cannot correct.
            if question.code == .missingInverse { return false }
            return question.member.map {
                members.contains($0) || $0 == decided.identity || question.code == .inheritance
            }
                ?? true
        }
    }

    /// Removes the inherited properties that the plan stores only in the superclass's entity, and adds the plan's
    /// reference to that entity.
    private func adoptBase(_ base: String, _ decided: Schema.Entity, _ entity: inout DraftEntity) {
        let here = Set(decided.attributes.map(\.name) + decided.relationships.map(\.name))
        let elsewhere = entity.inherited.subtracting(here)
        entity.attributes.removeAll { elsewhere.contains($0.value.name) }
        entity.relationships.removeAll { elsewhere.contains($0.value.name) }
        let names = Set(entity.relationships.map(\.value.name))
        for relationship in decided.relationships
        where relationship.target == base && !names.contains(relationship.name) {
            entity.relationships.append(.init(value: relationship, location: entity.location, target: -1))
        }
    }

    private func location(_ member: String, _ open: [Question], _ entity: DraftEntity) -> SourceLocation {
        guard let place = open.first(where: { $0.member == member })?.place,
            let colon = place.lastIndex(of: ":"), let line = Int(place[place.index(after: colon)...])
        else { return entity.location }
        return SourceLocation(file: String(place[..<colon]), line: line)
    }

    private func adopt(_ decided: Schema.Entity, _ attribute: inout DraftEntity.Attribute, isDefaultOpen: Bool) {
        guard let other = decided.attribute(attribute.value.name) else { return }
        guard other.scope == .synced else {
            attribute.value = other
            return
        }
        let mine = attribute.value
        // The plan may have chosen null although the class has an initial value.
        let isNullable = mine.type.isOptional || isDefaultOpen && other.type.isOptional
        let type = AttributeType(kind: mine.type.kind, isOptional: isNullable).settled(by: other.type)
        var standard = mine.default
        let isSame = mine.default?.constant(for: type.kind) == other.default?.constant(for: type.kind)
        if mine.default == nil || isDefaultOpen || isSame && mine.default?.constant(for: type.kind) != nil {
            standard = other.default
        }
        attribute.value = mine.with(
            type: type, default: .some(standard), unit: .some(other.unit), merge: other.merge)
    }

    private mutating func adoptRelationships(_ decided: Schema.Entity, _ entity: inout DraftEntity) {
        // A relationship that the plan keeps local is an attribute in the plan.
        let local = decided.attributes.filter { attribute in
            attribute.scope == .local && entity.relationships.contains { $0.value.name == attribute.name }
        }
        for attribute in local {
            let location = entity.location(of: attribute.name)
            entity.relationships.removeAll { $0.value.name == attribute.name }
            entity.attributes.append(.init(value: attribute, location: location))
        }
        for member in entity.relationships.indices {
            let mine = entity.relationships[member].value
            guard mine.inverse == nil, let other = decided.relationships.first(where: { $0.name == mine.name }) else {
                continue
            }
            entity.relationships[member].value = mine.with(inverse: .some(other.inverse))
        }
    }

    /// Returns true if the app's class lacks the reference, and the plan has it as the inverse of a to-many
    /// relationship. A to-many relationship is synced only through its to-one inverse.
    private func isSupplement(_ relationship: Schema.Relationship, _ entity: DraftEntity) -> Bool {
        guard relationship.cardinality == .toOne, relationship.inverse != nil,
            !entity.relationships.contains(where: { $0.value.name == relationship.name }),
            !entity.attributes.contains(where: { $0.value.name == relationship.name })
        else { return false }
        return draft.entities.contains { other in
            other.name == relationship.target
                && (other.relationships.contains {
                    $0.value.name == relationship.inverse && $0.value.cardinality == .toMany && !$0.isInverseStated
                }
                    || draft.questions.contains {
                        $0.entity == other.name && $0.member == relationship.inverse && $0.code == .inverse
                    })
        }
    }
}

extension DraftEntity {
    /// Creates the draft of a model that the plan has and the sources do not.
    fileprivate init(_ entity: Schema.Entity, location: SourceLocation) {
        self.init(name: entity.name, originalName: nil, node: -1, location: location, identity: entity.identity)
        identityType = entity.identityType
        attributes = entity.attributes.map { .init(value: $0.with(originalName: .some(nil)), location: location) }
        relationships = entity.relationships.map {
            .init(value: $0.with(originalName: .some(nil)), location: location, target: -1)
        }
        scope = entity.scope
        multiplicity = entity.multiplicity
    }
}

extension AttributeType {
    /// Returns the plan's type for the attribute (`other`) if it holds the same values as this type from the sources.
    /// For example, the plan may store an enumeration as a text, or list its cases in another order. Otherwise returns
    /// this type.
    fileprivate func settled(by other: AttributeType) -> AttributeType {
        guard isOptional == other.isOptional else { return self }
        switch (kind, other.kind) {
        case (.enumeration, .string): return other
        case (.enumeration(_, let mine), .enumeration(_, let cases)) where Set(mine) == Set(cases): return other
        default: return self
        }
    }
}
