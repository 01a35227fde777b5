import SourceFacts
import WireFormats

/// Merges the subclasses of a model into the model's entity, because a reference to the model may lead to a record of
/// any of these classes. An added attribute states the class of each record.
struct Subclasses {
    private(set) var entities: [DraftEntity]
    private(set) var questions: [Question]
    private(set) var notes: [String] = []
    private let separate: Set<String>

    /// Merges the entities of subclasses into those of their superclasses.
    ///
    /// - Parameter separate: the names of the subclasses that are not merged, because they are entities of their own.
    init(_ entities: [DraftEntity], _ questions: [Question], separate: Set<String>) {
        self.separate = separate
        (self.entities, self.questions) = (entities, questions)
        let roots = entities.indices.map { root(of: $0) }
        for index in entities.indices {
            let below = entities.indices.filter { roots[$0] == index && $0 != index }
            if !below.isEmpty { merge(below, into: index) }
        }
        let merged = entities.indices.filter { roots[$0] != $0 }
        for index in self.entities.indices {
            for member in self.entities[index].relationships.indices {
                let relationship = self.entities[index].relationships[member]
                guard let target = merged.first(where: { entities[$0].node == relationship.target }) else { continue }
                let root = entities[roots[target]]
                self.entities[index].relationships[member].target = root.node
                self.entities[index].relationships[member].value = relationship.value.with(target: root.name)
            }
        }
        self.entities = self.entities.indices.filter { !merged.contains($0) }.map { self.entities[$0] }
    }

    /// Returns the index of an entity's topmost superclass in the version; `index` itself if there is none.
    private func root(of index: Int) -> Int {
        var here = index
        for _ in entities.indices {
            guard !separate.contains(entities[here].name), let base = entities[here].base,
                let above = entities.firstIndex(where: { $0.node == base })
            else {
                break
            }
            here = above
        }
        return here
    }

    /// Returns the name of the attribute that states a record's class, in the entity `root`.
    ///
    /// - Parameter taken: the names that the entity already uses.
    static func kind(of root: String, besides taken: Set<String>) -> String {
        ["kind", "\(root.asMember)Kind", "subclass"].first { !taken.contains($0) } ?? "subclassOf\(root)"
    }

    private mutating func merge(_ below: [Int], into index: Int) {
        var root = entities[index]
        let classes = below.map { entities[$0] }
        let taken = Set(([root] + classes).flatMap(\.names))
        let kind = Subclasses.kind(of: root.name, besides: taken)
        root.attributes.append(
            .init(
                value: Schema.Attribute(
                    name: kind, originalName: nil,
                    type: .enumeration("\(root.name)Kind", [root.name] + classes.map(\.name)),
                    default: .string(root.name), scope: .synced),
                location: root.location))
        for own in classes {
            for attribute in own.attributes { add(attribute, of: own, to: &root) }
            for relationship in own.relationships { add(relationship, of: own, to: &root) }
            root.passing.formUnion(own.passing)
            root.examples.merge(own.examples) { mine, _ in mine }
        }
        entities[index] = root
        let names = Set(classes.map(\.name))
        // Records of the other classes hold null.
        questions.removeAll { $0.code == .standard && $0.entity.map(names.contains) == true }
        for index in questions.indices where questions[index].entity.map(names.contains) == true {
            questions[index].entity = root.name
        }
        questions.append(question(root, kind, classes))
    }

    private mutating func add(_ attribute: DraftEntity.Attribute, of own: DraftEntity, to root: inout DraftEntity) {
        let value = attribute.value
        let optional = value.with(
            type: AttributeType(kind: value.type.kind, isOptional: true), default: .some(nil))
        guard let same = root.attributes.first(where: { $0.value.name == value.name })?.value else {
            if !root.names.contains(value.name) {
                return root.attributes.append(.init(value: optional, location: attribute.location))
            }
            return root.attributes.append(
                .init(value: renamed(optional, own, attribute.location), location: attribute.location))
        }
        // Attributes of two classes with the same name and type are one attribute.
        if same.type.kind == value.type.kind, same.type.isOptional { return }
        root.attributes.append(
            .init(value: renamed(optional, own, attribute.location), location: attribute.location))
    }

    private mutating func renamed(
        _ value: Schema.Attribute, _ own: DraftEntity, _ location: SourceLocation
    ) -> Schema.Attribute {
        let name = Subclasses.name(value.name, of: own)
        notes.append(
            "\(location): \(own.name).\(value.name): it travels as ‘\(name)’: another subclass has another "
                + "‘\(value.name)’")
        return Schema.Attribute(
            name: name, originalName: nil, type: value.type, default: nil, scope: value.scope,
            isUnique: value.isUnique)
    }

    private mutating func add(
        _ relationship: DraftEntity.Relationship, of own: DraftEntity, to root: inout DraftEntity
    ) {
        var relationship = relationship
        let value = relationship.value
        if root.names.contains(value.name) {
            let isSame = root.relationships.contains {
                $0.value.name == value.name && $0.target == relationship.target
                    && $0.value.cardinality == value.cardinality
            }
            if isSame { return }
            let name = Subclasses.name(value.name, of: own)
            notes.append(
                "\(relationship.location): \(own.name).\(value.name): it travels as ‘\(name)’: another subclass has "
                    + "another ‘\(value.name)’")
            relationship.value = Schema.Relationship(
                name: name, originalName: nil, target: value.target, cardinality: value.cardinality,
                deleteRule: value.deleteRule, inverse: value.inverse)
        }
        root.relationships.append(relationship)
    }

    /// Returns a longer name for a subclass's property, for use if another class of the merged entity has a property of
    /// the same name: `reason` of `PersonalTrip` becomes `personalTripReason`.
    private static func name(_ member: String, of own: DraftEntity) -> String {
        own.name.asMember + (member.first?.uppercased() ?? "") + member.dropFirst()
    }

    private func question(_ root: DraftEntity, _ kind: String, _ classes: [DraftEntity]) -> Question {
        let names = classes.map { "‘\($0.name)’" }
        let list = names.count == 1 ? "\(names[0]) is a" : "\(names.joined(separator: ", ")) are each a"
        let declarations = classes.flatMap { own -> [String] in
            let attributes = own.attributes.map { DeclarationCode.attribute($0.value.with(originalName: .some(nil))) }
            let relationships = own.relationships.map { DeclarationCode.relationship($0.value) }
            let reference = "Relationship(\"\(root.name.asMember)\", toOne: \"\(root.name)\")"
            let members = ["Identity(\"id\")", reference] + (attributes + relationships).map(\.line)
            return ["Model(\"\(own.name)\") {"] + members.map { "    \($0)" } + ["}"]
        }
        return Question(
            .inheritance, entity: root.name, member: kind, at: classes[0].location,
            "\(list) ‘\(root.name)’: are they one entity?",
            choices: [
                .init(
                    "remove this",
                    "one, as here: ‘\(kind)’ says which class a record is of, what only one class has is optional, and "
                        + "what refers to a ‘\(root.name)’ may refer to any"),
                .init(
                    "an entity for each, beside ‘\(root.name)’ without ‘\(kind)’ and without what is theirs",
                    "two records each, that of the subclass with a reference to that of ‘\(root.name)’, to which the "
                        + "others refer: the app writes both",
                    needs: declarations),
            ])
    }
}

extension DraftEntity {
    /// The names of the entity's attributes, relationships and identity.
    fileprivate var names: [String] {
        attributes.map(\.value.name) + relationships.map(\.value.name) + [identity].compactMap(\.self)
    }
}
