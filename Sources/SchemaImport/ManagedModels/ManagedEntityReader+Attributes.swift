import SourceFacts
import WireFormats

extension ManagedEntityReader {
    mutating func readAttribute(_ property: ManagedModel.Property, _ member: String) {
        let element = property.element
        let isOptional = element.isOn("optional")
        guard let type = ManagedType(element.value("attributeType")) else {
            return askForType(element, member, isOptional)
        }
        if member == "id", !isOptional, ["UUID", "String"].contains(element.value("attributeType")) {
            (entity.identity, entity.identityType) = ("id", type.kind == .uuid ? .uuid : .string)
            return
        }
        var attribute = Schema.Attribute(
            name: member, originalName: element.value("elementID"),
            type: AttributeType(kind: type.kind, isOptional: isOptional), default: nil, scope: .synced)
        switch type.standard(element) {
        case .standard(let found): attribute = attribute.with(default: .some(found))
        case .unknown(let reason):
            ask(
                .standard, element, "‘\(member)’: \(reason): what do the records of older versions get?",
                attribute.with(originalName: .some(nil)).answers(
                    isStated: false, json: nil, isURL: element.value("attributeType") == "URI"))
        }
        if element.value("attributeType") == "URI" {
            entity.urls.insert(member)
            note(element, "a URI, and travels as a text")
        }
        entity.attributes.append(.init(value: attribute, location: model.location(element)))
    }

    private mutating func askForType(_ element: ElementFact, _ member: String, _ isOptional: Bool) {
        let suffix = isOptional ? ".optional" : ""
        func choice(_ type: String, _ effect: String) -> Question.Choice {
            .init("Attribute(\"\(member)\", \(type)\(suffix))", effect)
        }
        let local = ManagedEntityReader.local(member)
        switch element.value("attributeType") {
        case "Transformable":
            // The transformer is not in the question, so that the question is the same for all transformers.
            let name = element.value("valueTransformerName").map { ", \($0)," } ?? ""
            var choices = [
                choice(".data", "the bytes that the transformer\(name) makes, whole with each edit"),
                choice(".string", "a text that the app makes of it"), local,
            ]
            if let type = element.value("customClassName"), !["NSArray", "NSDictionary", "NSObject"].contains(type) {
                let kind = ManagedEntityReader.list(type) ?? ".codable(\(Code.literal(type)))"
                choices.insert(choice(kind, "the value itself, without the transformer"), at: 0)
            }
            ask(
                .type, element, "‘\(member)’ is stored through a transformer: how does it travel?",
                leavesOut: true, choices)
        case "Composite":
            let composite = element.value("composite") ?? ""
            let parts = model.root.elements.first { $0.name == "composite" && $0.value("name") == composite }
            let named = (parts?.elements ?? []).compactMap { $0.value("name") }.map { "‘\(member)’ + ‘\($0)’" }
            ask(
                .type, element, "‘\(member)’ is a composite, ‘\(composite)’: how does it travel?", leavesOut: true,
                [
                    choice(
                        ".codable(\(Code.literal(composite.isEmpty ? member : composite)))",
                        "all of it in one; the later edit of the whole stands"),
                    .init(
                        "an Attribute for each of its parts",
                        (named.isEmpty ? "" : "such as \(named.joined(separator: ", ")): ") + "they merge one by one"),
                    local,
                ])
        case let type:
            ask(
                .type, element,
                "‘\(member)’ has \(type.map { "the type ‘\($0)’, which is not known here" } ?? "no type"): "
                    + "how does it travel?",
                leavesOut: true,
                [choice(".string", "a text"), choice(".data", "bytes, whole with each edit"), local])
        }
    }

    /// Returns the plan's type for the Swift type of a list of values, such as `[Int64]`; `nil` for any other type.
    private static func list(_ type: String) -> String? {
        switch type {
        case "[String]": ".array(of: .string)"
        case "[Int]", "[Int8]", "[Int16]", "[Int32]", "[Int64]", "[UInt]", "[UInt8]", "[UInt16]", "[UInt32]":
            ".array(of: .int)"
        case "[Double]", "[Float]": ".array(of: .double)"
        case "[Bool]": ".array(of: .bool)"
        case "[Date]": ".array(of: .date)"
        case "[UUID]": ".array(of: .uuid)"
        default: nil
        }
    }

    // MARK: Uniqueness

    mutating func readConstraints(of owner: Int) {
        let constraints = model.entities[owner].element.elements.filter { $0.name == "uniquenessConstraints" }
        for constraint in constraints.flatMap(\.elements) {
            let names = constraint.elements.compactMap { $0.value("value") }
            guard let first = names.first else { continue }
            if names.count == 1, first == entity.identity { continue }
            if names.count == 1,
                let index = entity.attributes.firstIndex(where: {
                    // Two floating-point numbers are rarely equal.
                    $0.value.name == first && $0.value.type.kind != .double
                })
            {
                makeUnique(index, constraint)
            } else if names.count > 1, let own = names.first(where: isUnique) {
                note(
                    constraint,
                    "no two have the same \(names.joined(separator: ", ")) together, as no two have the "
                        + "same \(own)")
            } else {
                askForUniqueness(constraint, names)
            }
        }
    }

    private mutating func askForUniqueness(_ constraint: ElementFact, _ names: [String]) {
        let list = names.joined(separator: ", ")
        let joined = names.dropFirst().reduce(names[0]) { $0 + "And" + ($1.first?.uppercased() ?? "") + $1.dropFirst() }
        let member = names.count == 1 ? joined + "Key" : joined
        ask(
            .uniqueness, constraint,
            "no two have the same \(list)\(names.count == 1 ? ", which cannot be unique here" : " together"): how is "
                + "that kept?",
            [
                .init("remove this", "two devices can each make one, and both stay"),
                .init(
                    "Attribute(\"\(member)\", .string.optional, .unique) in the next version",
                    "an attribute that the app makes of \(names.count == 1 ? "it" : "them"): the server keeps it "
                        + "unique"),
            ])
    }

    private mutating func makeUnique(_ index: Int, _ constraint: ElementFact) {
        var attribute = entity.attributes[index].value.with(isUnique: true)
        if attribute.default != nil {
            attribute = attribute.with(default: .some(nil))
            notes.append(
                "\(entity.attributes[index].location): \(name).\(attribute.name): its default is left out, as no two "
                    + "may have it")
            questions.removeAll { $0.code == .standard && $0.member == attribute.name }
        }
        entity.attributes[index].value = attribute
    }

    private func isUnique(_ member: String) -> Bool {
        entity.identity == member || entity.attributes.contains { $0.value.name == member && $0.value.isUnique }
    }

    // MARK: Identity

    mutating func checkIdentity() {
        guard entity.identity == nil else { return }
        let leave = Question.Choice(
            "remove this",
            "each device gives a record its id when it first syncs it, and remembers which: two devices that synced "
                + "before, as with CloudKit, would double their records")
        let unique = entity.attributes.first { $0.value.isUnique && $0.value.type.kind == .uuid }
        let named = entity.attributes.first { $0.value.name == "id" }
        guard let attribute = named ?? unique else {
            // Nothing is lost: an id that a later version declares takes over the ids that each device remembers.
            return note(
                model.entities[index].element,
                "without an ‘id’ of type UUID: each device gives a record its id when it first syncs it, and "
                    + "remembers which; not where devices synced before, as with CloudKit")
        }
        let (member, type) = (attribute.value.name, attribute.value.type)
        var choices = [leave]
        var question = "‘\(member)’ is of type \(type), and a record's id is a UUID or a String"
        if type.kind == .uuid || type.kind == .string && type.isOptional {
            question = type.isOptional ? "‘\(member)’ may be null, and a record's id never is" : "‘\(member)’ is unique"
            let statement = type.kind == .uuid ? "Identity(\"\(member)\")" : "Identity(\"\(member)\", .string)"
            let effect = "it travels as the record's id, and never changes"
            choices.insert(
                .init(
                    "\(statement) instead of the attribute", effect + (type.isOptional ? "; each has one" : "")),
                at: 0)
        }
        questions.append(
            Question(
                .identity, entity: name, member: member, at: attribute.location,
                "\(question): what tells the records of ‘\(name)’ apart?", choices: choices))
    }
}
