import SourceFacts
import WireFormats

/// Finds the inverse of each relationship of a version. Asks a question if the inverse of a to-many relationship is
/// ambiguous or missing.
///
/// Only references to a single record are synced. So a to-many relationship needs a to-one relationship as its inverse.
/// Two to-many relationships that are each other's inverse need a linking model, which has a reference to each side.
struct RelationshipPairing {
    private(set) var entities: [DraftEntity]
    private(set) var questions: [Question] = []
    /// The references that questions have proposed so far. Each is a pair of the model's name and the reference's name.
    private var proposed: Set<[String]> = []
    /// The names of the linking models that questions have proposed so far. A linking model stands between two to-many
    /// relationships.
    private var between: Set<String> = []

    /// A relationship, given by the index of its entity in `entities` and by its index in the entity's relationships.
    private struct Position: Hashable {
        let entity: Int
        let relationship: Int
    }

    init(_ entities: [DraftEntity]) {
        self.entities = entities
        completeStated()
        pairUnique()
        askForRest()
    }

    private func candidates(for position: Position) -> [Position] {
        let relationship = entities[position.entity].relationships[position.relationship]
        return entities.indices.filter { entities[$0].node == relationship.target }.flatMap { other in
            entities[other].relationships.indices.map { Position(entity: other, relationship: $0) }.filter {
                let candidate = self[$0]
                return candidate.target == entities[position.entity].node && $0 != position && !candidate.isInherited
            }
        }
    }

    private subscript(position: Position) -> DraftEntity.Relationship {
        entities[position.entity].relationships[position.relationship]
    }

    private var positions: [Position] {
        entities.indices.flatMap { entity in
            entities[entity].relationships.indices.map { Position(entity: entity, relationship: $0) }
        }
    }

    private mutating func pair(_ a: Position, _ b: Position) {
        let (first, second) = (self[a].value, self[b].value)
        entities[a.entity].relationships[a.relationship].value = first.with(inverse: second.name)
        entities[b.entity].relationships[b.relationship].value = second.with(inverse: first.name)
    }

    /// Returns true if a to-many relationship is its own inverse: if record A is in the list of record B, B is in the
    /// list of A.
    private func isSymmetric(_ position: Position) -> Bool {
        let relationship = self[position]
        return relationship.isInverseStated && relationship.target == entities[position.entity].node
            && relationship.value.inverse == relationship.value.name
    }

    /// Pairs each relationship with the inverse that it states, so that both state each other. Removes an inverse that
    /// does not exist.
    private mutating func completeStated() {
        for position in positions where self[position].isInverseStated {
            let relationship = self[position]
            if isSymmetric(position) { continue }
            if let other = candidates(for: position).first(where: { self[$0].value.name == relationship.value.inverse })
            {
                pair(position, other)
            } else {
                entities[position.entity].relationships[position.relationship].value = relationship.value.with(
                    inverse: .some(nil))
            }
        }
    }

    /// Pairs relationships as SwiftData does: two relationships become each other's inverse if each is the only one
    /// that leads back to the other's model.
    private mutating func pairUnique() {
        for position in positions where self[position].value.inverse == nil && !self[position].isInherited {
            let back = candidates(for: position).filter { self[$0].value.inverse == nil }
            guard back.count == 1, candidates(for: back[0]).filter({ self[$0].value.inverse == nil }) == [position]
            else {
                continue
            }
            pair(position, back[0])
        }
    }

    private mutating func askForRest() {
        var left: Set<Position> = []
        for position in positions where self[position].value.cardinality == .toMany && !left.contains(position) {
            let (entity, relationship) = (entities[position.entity], self[position])
            if isSymmetric(position) {
                left.insert(position)
                let link = self.link(position, position)
                ask(symmetric(entity, relationship, link), relationship)
                continue
            }
            let back = candidates(for: position)
            let other = back.first { self[$0].value.name == relationship.value.inverse }
            if let other, self[other].value.cardinality == .toOne { continue }
            left.insert(position)
            if let other {
                left.insert(other)
                let link = self.link(position, other)
                ask(manyToMany(entity, relationship, other: self[other], link, link.near), relationship)
                ask(manyToMany(entities[other.entity], self[other], other: relationship, link, link.far), self[other])
            } else {
                ask(withoutInverse(position, back), relationship)
            }
        }
        for entity in entities.indices {
            let kept = entities[entity].relationships.indices.filter {
                !left.contains(Position(entity: entity, relationship: $0))
            }
            entities[entity].relationships = kept.map { entities[entity].relationships[$0] }
        }
    }

    private mutating func ask(_ question: Question, _ relationship: DraftEntity.Relationship) {
        var question = question
        question.oldName = relationship.value.originalName
        questions.append(question)
    }

    /// A model that links two to-many relationships, with a reference to the model of each.
    private struct Link {
        let name: String
        /// The name of the linking model's reference to one of the two models that it links. `far` is the name of its
        /// reference to the other model.
        let near: String
        let far: String
        /// The Swift code that declares the linking model, which stands between two to-many relationships.
        let declaration: [String]
    }

    /// Returns a new linking model between two to-many relationships. Its name is unique, and its two references have
    /// different names.
    private mutating func link(_ position: Position, _ other: Position) -> Link {
        let (entity, target) = (entities[position.entity].name, entities[other.entity].name)
        let list = self[position].value.name
        let names = [
            [entity, target].sorted().joined(), entity + list.asType, entity + list.asType + "Link",
        ]
        let isToItself = entity == target
        let free = names.dropFirst(isToItself ? 1 : 0).first { name in
            !between.contains(name) && !entities.contains { $0.name == name }
        }
        let name = free ?? "\(entity)\(list.asType)Link\(between.count)"
        between.insert(name)
        let (near, far) = (entity.asMember, isToItself ? "other\(target)" : target.asMember)
        return Link(
            name: name, near: near, far: far,
            declaration: [
                "Model(\"\(name)\") {", "    Identity(\"id\")",
                "    Relationship(\"\(near)\", toOne: \"\(entity)\")",
                "    Relationship(\"\(far)\", toOne: \"\(target)\")", "}",
            ])
    }

    private static func list(_ name: String, of link: Link, by reference: String) -> String {
        "Relationship(\"\(name)\", toMany: \"\(link.name)\", deleteRule: .cascade, inverse: \"\(reference)\")"
    }

    private func others(_ name: String, of target: String) -> [Question.Choice] {
        let isText = entities.contains { $0.name == target && $0.identityType == .string }
        return [
            .init(
                "Attribute(\"\(name)\", .array(of: \(isText ? ".string" : ".uuid")).optional)",
                "the ids, on this side only; the later edit of the whole list stands"),
            .init("Attribute(\"\(name)\", .string.optional, scope: .local)", "it stays on the device"),
        ]
    }

    private func manyToMany(
        _ entity: DraftEntity, _ relationship: DraftEntity.Relationship, other: DraftEntity.Relationship, _ link: Link,
        _ reference: String
    ) -> Question {
        let (name, target) = (relationship.value.name, relationship.value.target)
        return Question(
            .manyToMany, entity: entity.name, member: name, at: relationship.location,
            "‘\(entity.name).\(name)’ and ‘\(target).\(other.value.name)’ are both lists: which model is between them?",
            leavesOut: true,
            choices: [
                .init(
                    RelationshipPairing.list(name, of: link, by: reference),
                    "a model ‘\(link.name)’ with a reference to each; adding and removing merge one by one",
                    needs: link.declaration)
            ] + others(name, of: target))
    }

    private func symmetric(
        _ entity: DraftEntity, _ relationship: DraftEntity.Relationship, _ link: Link
    ) -> Question {
        let name = relationship.value.name
        return Question(
            .manyToMany, entity: entity.name, member: name, at: relationship.location,
            "‘\(entity.name).\(name)’ is its own inverse: which model is between the two?", leavesOut: true,
            choices: [
                .init(
                    RelationshipPairing.list(name, of: link, by: link.near),
                    "a model ‘\(link.name)’, one for each pair: the app looks at both its ends; adding and removing "
                        + "merge one by one",
                    needs: link.declaration)
            ] + others(name, of: entity.name))
    }

    private mutating func withoutInverse(_ position: Position, _ back: [Position]) -> Question {
        let (entity, relationship) = (entities[position.entity], self[position])
        let candidates = back.map { self[$0].value }
        let (name, target) = (relationship.value.name, relationship.value.target)
        let rule = relationship.value.deleteRule == .nullify ? "" : ", deleteRule: .\(relationship.value.deleteRule)"
        func list(_ inverse: String) -> String {
            "Relationship(\"\(name)\", toMany: \"\(target)\"\(rule), inverse: \"\(inverse)\")"
        }
        var choices: [Question.Choice] = []
        for other in back {
            let candidate = self[other].value
            if candidate.cardinality == .toOne {
                choices.append(
                    .init(list(candidate.name), "the reference that travels is ‘\(candidate.name)’ in ‘\(target)’"))
                continue
            }
            let link = self.link(position, other)
            choices.append(
                .init(
                    RelationshipPairing.list(name, of: link, by: link.near),
                    "with the list ‘\(candidate.name)’, as "
                        + "‘\(RelationshipPairing.list(candidate.name, of: link, by: link.far))’: "
                        + "a model ‘\(link.name)’ with a reference to each of the two",
                    needs: link.declaration))
        }
        if candidates.isEmpty {
            let back = reference(to: entity.name, for: name, in: target)
            choices.append(
                .init(
                    list(back),
                    "and ‘Relationship(\"\(back)\", toOne: \"\(entity.name)\")’ in ‘\(target)’: the client sets it"))
        }
        choices.append(.init("Attribute(\"\(name)\", .string.optional, scope: .local)", "it stays on the device"))
        return Question(
            relationship.isInverseStated ? .missingInverse : .inverse, entity: entity.name, member: name,
            at: relationship.location,
            candidates.isEmpty
                ? "‘\(entity.name).\(name)’ is a list of ‘\(target)’, and nothing in ‘\(target)’ leads back, as what "
                    + "travels must: what does?"
                : "‘\(entity.name).\(name)’ may be the inverse of \(candidates.map(\.name).joined(separator: " or ")): "
                    + "which?",
            leavesOut: true, choices: choices)
    }

    /// Returns a free name for a new reference from the model `target` to the model `entity`. The name is that of
    /// `entity`, such as `trip`. If it is taken, the name of the to-many relationship is appended, as in `tripDays`.
    private mutating func reference(to entity: String, for list: String, in target: String) -> String {
        let found = entities.first { $0.name == target }
        let names = (found?.attributes.map(\.value.name) ?? []) + (found?.relationships.map(\.value.name) ?? [])
        let longer = entity.asMember + (list.first?.uppercased() ?? "") + list.dropFirst()
        let isFree = !names.contains(entity.asMember) && !proposed.contains([target, entity.asMember])
        let name = isFree ? entity.asMember : longer
        proposed.insert([target, name])
        return name
    }
}

extension String {
    /// The type's name as the name of a property: `Day` becomes `day`.
    var asMember: String { (first?.lowercased() ?? "") + dropFirst() }

    /// The property's name as a part of a type's name: `peers` becomes `Peers`.
    fileprivate var asType: String { (first?.uppercased() ?? "") + dropFirst() }
}
