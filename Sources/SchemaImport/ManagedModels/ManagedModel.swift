import SourceFacts

/// One version of a Core Data model as its file states it: the entities with their inheritance. Nothing is interpreted
/// yet.
struct ManagedModel: Sendable {
    struct Entity: Sendable {
        let name: String
        let element: ElementFact
        /// The index in `entities` of the parent; this entity inherits the parent's attributes. `nil` if there is no
        /// parent.
        var parent: Int?

        /// True if the entity has no records of its own, only records of entities that inherit from it.
        let isAbstract: Bool
    }

    /// An attribute, a relationship or a fetched property.
    struct Property: Sendable {
        let element: ElementFact
        /// The index in `entities` of the entity that declares the property.
        let owner: Int

        var name: String { element.value("name") ?? "" }
    }

    let file: String
    let root: ElementFact
    private(set) var entities: [Entity] = []
    /// Questions about faults in the model's entities, such as two entities with the same name.
    private(set) var questions: [Question] = []
    private var indexByName: [String: Int] = [:]
    private var heirs: [[Int]] = []
    /// The names of the entities that are the destination of some relationship.
    private let referredTo: Set<String>

    /// The maximum number of ancestors of an entity, far above any in practice.
    private static let ancestorsMax = 32

    init(_ root: ElementFact, file: String) {
        (self.file, self.root) = (file, root)
        referredTo = Set(
            root.elements.flatMap(\.elements).filter { $0.name == "relationship" && !$0.isOn("transient") }
                .compactMap { $0.value("destinationEntity") })
        for element in root.elements where element.name == "entity" {
            guard let name = element.value("name") else {
                ask(element, nil, "the entity has no name", "give it one in the model, and import again: left out")
                continue
            }
            if let first = indexByName[name] {
                let text = "‘\(name)’ is declared twice, also at \(location(entities[first].element))"
                ask(element, name, text, "remove one in the model, and import again: the second was left out")
                continue
            }
            indexByName[name] = entities.count
            entities.append(Entity(name: name, element: element, isAbstract: element.isOn("isAbstract")))
        }
        for index in entities.indices { findParent(of: index) }
        heirs = Array(repeating: [], count: entities.count)
        for index in entities.indices where !entities[index].isAbstract {
            for ancestor in ancestors(of: index) { heirs[ancestor].append(index) }
        }
    }

    private mutating func findParent(of index: Int) {
        guard let name = entities[index].element.value("parentEntity") else { return }
        guard let parent = self.index(of: name), parent != index, !ancestors(of: parent).contains(index),
            ancestors(of: parent).count < ManagedModel.ancestorsMax
        else {
            return ask(
                entities[index].element, entities[index].name,
                "the parent of ‘\(entities[index].name)’ is ‘\(name)’, which "
                    + (self.index(of: name) == nil ? "the model does not have" : "inherits from it, or from too many"),
                "correct it in the model, and import again: without it there are only its own attributes")
        }
        entities[index].parent = parent
    }

    private mutating func ask(_ element: ElementFact, _ entity: String?, _ text: String, _ remedy: String) {
        questions.append(
            Question(
                .duplicate, entity: entity, at: location(element), text,
                choices: [.init("correct the model", remedy)]))
    }

    func location(_ element: ElementFact) -> SourceLocation { SourceLocation(file: file, line: element.line) }

    func index(of name: String) -> Int? { indexByName[name] }

    /// The indices of the entities from which an entity inherits, the nearest first.
    func ancestors(of index: Int) -> [Int] {
        var found: [Int] = []
        var next = entities[index].parent
        while let parent = next, !found.contains(parent) {
            found.append(parent)
            next = entities[parent].parent
        }
        return found
    }

    /// The indices of the entities that inherit from an entity and have records. A reference to the entity may also
    /// refer to one of these records.
    func heirs(of index: Int) -> [Int] { heirs[index] }

    /// Returns true if some relationship has the entity as its destination.
    func isReferredTo(_ index: Int) -> Bool { referredTo.contains(entities[index].name) }

    /// Returns an entity's properties, inherited ones first. If several have the same name, returns only the entity's
    /// own, or else the one inherited from the nearest ancestor.
    func properties(of index: Int) -> [Property] {
        var found: [Property] = []
        for owner in ancestors(of: index).reversed() + [index] {
            for element in entities[owner].element.elements where ManagedModel.isProperty(element) {
                let property = Property(element: element, owner: owner)
                if let known = found.firstIndex(where: { $0.name == property.name }) {
                    found[known] = property
                } else {
                    found.append(property)
                }
            }
        }
        return found
    }

    /// Returns the type of an entity's ids in the syntax of a plan: `.string` if its property `id` is a required text,
    /// else `.uuid`.
    func idType(of index: Int) -> String {
        let id = properties(of: index).first { $0.name == "id" }?.element
        let isText = id.map { $0.value("attributeType") == "String" && !$0.isOn("optional") } ?? false
        return isText ? ".string" : ".uuid"
    }

    private static func isProperty(_ element: ElementFact) -> Bool {
        ["attribute", "relationship", "fetchedProperty"].contains(element.name)
    }
}

extension ElementFact {
    /// The value of an XML attribute; `nil` if the attribute is missing or empty.
    func value(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns true if the XML attribute has a value that means yes: `YES`, `true` or `1`.
    func isOn(_ name: String) -> Bool { ["YES", "true", "1"].contains(attributes[name] ?? "") }

    /// Returns all XML elements with this name inside this one, at any depth.
    func all(_ name: String) -> [ElementFact] {
        elements.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
    }
}
