import SourceFacts
import WireFormats

/// Reads one entity of a Core Data model: its properties, and the questions about them.
struct ManagedEntityReader {
    let model: ManagedModel
    let index: Int
    var entity: DraftEntity
    var questions: [Question] = []
    var notes: [String] = []

    init(_ index: Int, in model: ManagedModel) {
        (self.model, self.index) = (model, index)
        let found = model.entities[index]
        entity = DraftEntity(name: found.name, node: index, location: model.location(found.element))
        askAboutParents()
        askAboutSyncing()
        for property in model.properties(of: index) { read(property) }
        for owner in [index] + model.ancestors(of: index) { readConstraints(of: owner) }
        checkIdentity()
        noteWithoutEffect(found.element, nil)
    }

    var name: String { entity.name }

    mutating func ask(
        _ code: Question.Code, _ element: ElementFact, _ text: String, leavesOut: Bool = false,
        _ choices: [Question.Choice]
    ) {
        let isProperty = element.name == "attribute" || element.name == "relationship"
        questions.append(
            Question(
                code, entity: name, member: isProperty ? element.value("name") : nil, at: model.location(element),
                text, leavesOut: leavesOut, choices: choices))
    }

    mutating func note(_ element: ElementFact, _ text: String) {
        let isProperty = element.name != "entity"
        let subject = isProperty ? "\(name).\(element.value("name") ?? element.name)" : name
        notes.append("\(model.location(element)): \(subject): \(text)")
    }

    static func local(_ member: String) -> Question.Choice {
        .init("Attribute(\"\(member)\", .string.optional, scope: .local)", "it stays on the device, as whatever it is")
    }

    // MARK: The entity

    private mutating func askAboutParents() {
        let above = model.ancestors(of: index)
        let names = above.map { "‘\(model.entities[$0].name)’" }.joined(separator: ", ")
        let isMet = above.contains { parent in
            !model.entities[parent].isAbstract || model.isReferredTo(parent)
        }
        guard let nearest = above.first else { return }
        let element = model.entities[index].element
        guard isMet else {
            return note(element, "an entity of its own, with the attributes of \(names), which has no records itself")
        }
        let top = above.last ?? nearest
        let root = model.entities[top].name
        let taken = Set(([top] + model.heirs(of: top)).flatMap { model.properties(of: $0).map(\.name) })
        let kind = Subclasses.kind(of: root, besides: taken)
        let together = Question.Choice(
            "Attribute(\"\(kind)\", .string) in ‘\(root)’",
            "one entity for all of them, with everybody's attributes, optional, and what leads to any of them; remove "
                + "this model")
        let apart = Question.Choice(
            "remove this", "it is, with the attributes of both, as here; whoever lists the one does not see the other")
        let isReferredTo = above.contains { model.isReferredTo($0) }
        ask(
            .inheritance, element, "‘\(name)’ inherits from \(names): is it an entity of its own?",
            isReferredTo ? [together, apart] : [apart, together])
    }

    private mutating func askAboutSyncing() {
        let element = model.entities[index].element
        let configurations = model.root.elements.filter { $0.name == "configuration" }
        let synced = configurations.filter { $0.isOn("usedWithCloudKit") }
        let isLeftOut =
            !synced.isEmpty
            && !synced.contains { $0.all("memberEntity").contains { $0.value("name") == name } }
        guard element.attributes["syncable"] == "NO" || isLeftOut else { return }
        let reason =
            isLeftOut ? "‘\(name)’ is in no configuration that CloudKit has" : "‘\(name)’ is marked as not ‘syncable’"
        ask(
            .condition, element, "\(reason): is it synced?",
            [
                .init("Model(\"\(name)\", scope: .local)", "it stays on the device, as it did"),
                .init("remove this", "it is: every device is sent its records"),
            ])
    }

    private mutating func read(_ property: ManagedModel.Property) {
        let element = property.element
        guard let member = element.value("name") else {
            return ask(
                .duplicate, element, "a property of ‘\(name)’ has no name",
                [.init("correct the model", "give it one, and import again: it was left out")])
        }
        if element.name == "fetchedProperty" {
            return note(element, "a fetched property: a query of the device's own, and nothing that is stored")
        }
        if element.isOn("transient") {
            entity.passing.insert(member)
            return note(element, "not synced: the store does not keep it either")
        }
        if element.isOn("derived") {
            entity.passing.insert(member)
            let text = element.value("derivationExpression").map { " (\($0))" } ?? ""
            return note(element, "not synced: each device derives it itself\(text)")
        }
        if element.attributes["syncable"] == "NO" {
            ask(
                .condition, element, "‘\(member)’ is marked as not ‘syncable’: is it synced?",
                [
                    .init("scope: .local at the property", "it stays on the device, as it did"),
                    .init("remove this", "it is"),
                ])
        }
        if element.name == "attribute" {
            readAttribute(property, member)
        } else {
            readRelationship(property, member)
        }
        noteWithoutEffect(element, member)
    }

    /// Notes on XML attributes that have no effect on the synced data, by the name of the XML attribute.
    private static let withoutEffect = [
        "allowsExternalBinaryDataStorage": "‘allowsExternalBinaryDataStorage’ has no effect here",
        "spotlightIndexingEnabled": "‘spotlightIndexingEnabled’ has no effect here",
        "storedInTruthFile": "‘storedInTruthFile’ has no effect here",
        "preserveAfterDeletion": "‘preserveAfterDeletion’ has no effect here",
        "preservesValueInHistoryOnDeletion": "‘preservesValueInHistoryOnDeletion’ has no effect here",
        "allowsCloudEncryption": "‘allowsCloudEncryption’ has no effect here",
        "versionHashModifier": "‘versionHashModifier’ has no effect here", "indexed": "an index has no effect here",
        "minValueString": "what is allowed is for each device to check",
        "maxValueString": "what is allowed is for each device to check",
        "minDateTimeInterval": "what is allowed is for each device to check",
        "maxDateTimeInterval": "what is allowed is for each device to check",
        "regularExpressionString": "what is allowed is for each device to check",
        "minCount": "how many there may be is for each device to check",
    ]

    /// The XML attributes about which the import writes no note, because other code reads them or they do not affect
    /// the stored data.
    private static let known: Set<String> = [
        "name", "optional", "attributeType", "defaultValueString", "defaultDateTimeInterval", "usesScalarValueType",
        "syncable", "elementID", "transient", "derived", "derivationExpression", "customClassName",
        "valueTransformerName", "composite", "toMany", "ordered", "destinationEntity", "inverseName", "inverseEntity",
        "deletionRule", "maxCount", "representedClassName", "parentEntity", "isAbstract", "codeGenerationType",
        "coreSpotlightDisplayNameExpression",
    ]

    private static let knownInside: Set<String> = [
        "attribute", "relationship", "fetchedProperty", "uniquenessConstraints", "fetchIndex", "compoundIndexes",
    ]

    private mutating func noteWithoutEffect(_ element: ElementFact, _ member: String?) {
        var texts: Set<String> = []
        for name in element.attributes.keys where !ManagedEntityReader.known.contains(name) {
            texts.insert(ManagedEntityReader.withoutEffect[name] ?? "‘\(name)’ is not known here, and was not read")
        }
        if let count = element.value("maxCount"), element.isOn("toMany"), count != "0" {
            texts.insert("how many there may be is for each device to check")
        }
        for inside in element.elements where !ManagedEntityReader.knownInside.contains(inside.name) {
            texts.insert(
                inside.name == "userInfo"
                    ? "‘userInfo’ has no effect here" : "‘\(inside.name)’ is not known here, and was not read")
        }
        if element.elements.contains(where: { ["fetchIndex", "compoundIndexes"].contains($0.name) }) {
            texts.insert("an index has no effect here")
        }
        for text in texts.sorted() { note(element, text) }
    }
}
