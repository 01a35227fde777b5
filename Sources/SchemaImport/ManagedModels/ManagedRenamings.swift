import SourceFacts
import WireFormats

/// Aligns a version of a Core Data model with the previous version. Finds renamed entities and properties by their
/// renaming identifiers. Also asks about attributes whose Core Data type has changed although their type in a migration
/// plan has not.
///
/// Core Data treats two elements as the same if they have the same renaming identifier. An element without an
/// identifier has its own name as the identifier. An identifier may also be a name from several versions ago. If no
/// element of the previous version has the identifier, the element with that name is used.
struct ManagedRenamings {
    private(set) var draft: DraftSchema
    private let model: ManagedModel
    private let older: ManagedModel

    private enum Match {
        case same, new
        case renamed(String)
        /// No element of the previous version has the renaming identifier, neither as its own identifier nor as its
        /// name.
        case unknown(String)
        /// The element had another name in the previous version, according to its renaming identifier. The text is that
        /// name. One of the element's two names, `taken`, denotes another element in the other version.
        case unclear(String, taken: String)
    }

    init(_ draft: DraftSchema, _ model: ManagedModel, after older: ManagedModel) {
        self.draft = draft
        self.model = model
        self.older = older
        for index in draft.entities.indices { rename(index) }
    }

    private static func match(_ element: ElementFact, among old: [ElementFact], besides new: [ElementFact]) -> Match {
        let name = element.value("name") ?? ""
        let identifier = element.value("elementID") ?? name
        func isCalled(_ elements: [ElementFact], _ name: String) -> Bool {
            elements.contains { $0.value("name") == name }
        }
        let alike = old.filter { ($0.value("elementID") ?? $0.value("name")) == identifier }
        if alike.contains(where: { $0.value("name") == name }) { return .same }
        let found = alike.first ?? old.first { $0.value("name") == identifier }
        guard let before = found?.value("name"), before != name else {
            if isCalled(old, name) { return .same }
            return identifier == name ? .new : .unknown(identifier)
        }
        // A name that both versions have denotes the same element unless an identifier says otherwise.
        if isCalled(old, name) { return identifier == name ? .same : .unclear(before, taken: name) }
        if isCalled(new, before) { return identifier == name ? .new : .unclear(before, taken: before) }
        return .renamed(before)
    }

    private mutating func rename(_ index: Int) {
        let node = draft.entities[index].node
        let now = model.entities[node]
        let match = ManagedRenamings.match(
            now.element, among: older.entities.map(\.element), besides: model.entities.map(\.element))
        var before = now.name
        switch match {
        case .same, .new: break
        case .renamed(let old):
            before = old
            // An abstract entity had no records, so it was not renamed.
            if older.index(of: old).map({ !older.entities[$0].isAbstract }) == true {
                draft.entities[index].originalName = old
            }
        case .unknown(let old): ask(now.element, now.name, nil, old, "which the version before does not have")
        case .unclear(let old, let taken): ask(now.element, now.name, nil, old, ManagedRenamings.taken(taken))
        }
        guard let oldIndex = older.index(of: before) else { return }
        let properties = model.properties(of: node).map(\.element)
        let oldProperties = older.properties(of: oldIndex).map(\.element)
        for property in properties {
            let match = ManagedRenamings.match(
                property, among: oldProperties.filter { $0.name == property.name }, besides: properties)
            settle(property, match, index, oldProperties)
        }
    }

    private static func taken(_ name: String) -> String {
        "and ‘\(name)’ is another thing before or after: a name keeps its meaning in a plan"
    }

    private mutating func settle(_ property: ElementFact, _ match: Match, _ index: Int, _ old: [ElementFact]) {
        guard let member = property.value("name") else { return }
        let entity = draft.entities[index].name
        var before: String? = member
        var original: String?
        switch match {
        case .same: break
        case .new: before = nil
        case .renamed(let name): (before, original) = (name, name)
        case .unknown(let name):
            before = nil
            ask(property, entity, member, name, "which the version before does not have")
        case .unclear(let name, let taken):
            before = nil
            ask(property, entity, member, name, ManagedRenamings.taken(taken))
        }
        for attribute in draft.entities[index].attributes.indices
        where draft.entities[index].attributes[attribute].value.name == member {
            let value = draft.entities[index].attributes[attribute].value
            draft.entities[index].attributes[attribute].value = value.with(originalName: .some(original))
            askAboutRange(property, old.first { $0.value("name") == before }, entity, member)
        }
        for relationship in draft.entities[index].relationships.indices
        where draft.entities[index].relationships[relationship].value.name == member {
            let value = draft.entities[index].relationships[relationship].value
            draft.entities[index].relationships[relationship].value = value.with(originalName: .some(original))
        }
        for index in draft.questions.indices
        where draft.questions[index].entity == entity && draft.questions[index].member == member {
            draft.questions[index].oldName = original
        }
    }

    private mutating func ask(
        _ element: ElementFact, _ entity: String, _ member: String?, _ old: String, _ reason: String
    ) {
        let name = member ?? entity
        draft.questions.append(
            Question(
                .originalName, entity: entity, member: member, at: model.location(element),
                "‘\(name)’ was ‘\(old)’, by its renaming identifier, \(reason): is it new?",
                choices: [
                    .init("remove this", "it is what the version before calls so, or new: as here"),
                    .init(
                        "import once more with --rename "
                            + (member == nil ? "\(old)=\(name)" : "\(entity).\(old)=\(name)"),
                        "it is that, where nothing else has one of the names"),
                ]))
    }

    /// Asks a question if an attribute's Core Data type has changed but its type in a migration plan is the same. One
    /// of the two Core Data types may not be able to hold all values of the other.
    private mutating func askAboutRange(_ now: ElementFact, _ before: ElementFact?, _ entity: String, _ member: String)
    {
        guard let old = before?.value("attributeType"), let new = now.value("attributeType"), old != new,
            let kind = ManagedType(new)?.kind, ManagedType(old)?.kind == kind
        else { return }
        draft.questions.append(
            Question(
                .type, entity: entity, member: member, at: model.location(now),
                "‘\(member)’ was ‘\(old)’ and is ‘\(new)’, which are one type in a plan: are there values that only "
                    + "one of them holds?",
                choices: [
                    .init("remove this", "there are none: every version reads what the others write"),
                    .init(
                        "Convert(\"\(entity).\(member)\", …) in the plan's stage",
                        "there are: it says what the other versions read instead"),
                ]))
    }
}
