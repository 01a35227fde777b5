import SourceFacts
import WireFormats

/// Reads one `@Model` class: its properties, and what of them cannot be known.
struct ModelReader {
    let index: SourceIndex
    let types: TypeReader
    private(set) var entity: DraftEntity
    private(set) var decisions: [Decision] = []
    private(set) var notes: [String] = []

    init(_ node: Int, in index: SourceIndex) {
        self.index = index
        types = TypeReader(index: index)
        let fact = index.nodes[node].declaration
        entity = DraftEntity(
            name: index.nodes[node].name, node: node,
            location: fact?.location ?? SourceLocation(file: index.nodes[node].name, line: 0))
        readClass(node, isInherited: false)
        checkIdentity()
    }

    mutating func ask(
        _ code: Decision.Code, _ member: String? = nil, at location: SourceLocation, _ question: String,
        leavesOut: Bool = false, _ choices: [Decision.Choice]
    ) {
        decisions.append(
            Decision(
                code, entity: entity.name, member: member, at: location, question, leavesOut: leavesOut,
                choices: choices))
    }

    mutating func note(_ location: SourceLocation, _ member: String, _ text: String) {
        notes.append("\(location): \(entity.name).\(member): \(text)")
    }

    // MARK: The class

    private mutating func readClass(_ node: Int, isInherited: Bool) {
        let found = index.nodes[node]
        let classes = found.facts.filter { $0.kind == .class }
        guard let fact = classes.first else { return }
        readSuperclass(of: node, fact)
        if classes.count > 1 {
            ask(
                .duplicate, at: classes[1].location,
                "‘\(found.name)’ is declared twice, also at \(classes[0].location): which is the model?",
                [.init("remove this", "that of \(classes[0].location), as here; rename the other in the sources")])
        }
        if let condition = index.condition(node) {
            ask(
                .condition, at: fact.location, "‘\(found.name)’ is there only under ‘#if \(condition)’: is it synced?",
                ModelReader.choices(ofConditional: found.name))
        }
        // Stored properties stand in the class itself: an extension has none.
        for property in fact.properties { read(property, in: node, isInherited: isInherited) }
        for macro in found.facts.flatMap(\.macros) { read(macro) }
    }

    /// What a model may be that some builds of the app do not have.
    static func choices(ofConditional name: String) -> [Decision.Choice] {
        [
            .init("remove this", "it is: devices without it are sent its records, and must leave them alone"),
            .init("Model(\"\(name)\", scope: .local)", "it stays on the device"),
        ]
    }

    private mutating func readSuperclass(of node: Int, _ fact: TypeFact) {
        let found = index.nodes[node]
        guard let above = index.superclass(node) else { return }
        readClass(above, isInherited: true)
        guard entity.node == node else { return }
        ask(
            .inheritance, at: fact.location,
            "‘\(found.name)’ is a ‘\(index.nodes[above].name)’: is it an entity of its own?",
            [
                .init(
                    "remove this",
                    "it is, with the attributes of both, as here; whoever lists the one does not see the other"),
                .init(
                    "Attribute(\"kind\", .string) in ‘\(index.nodes[above].name)’",
                    "one entity with the attributes of both, optional; remove this model"),
            ])
    }

    private mutating func read(_ macro: MacroFact) {
        let name = macro.name
        guard name.isNamed("Unique") else {
            if name.isNamed("Index") { notes.append("\(macro.location): \(entity.name): ‘#Index’ has no effect here") }
            return
        }
        for argument in macro.arguments {
            guard case .array(let parts) = argument.value else { continue }
            let names = parts.map { part in
                if case .keyPath(let path) = part {
                    path.split(separator: ".").last.map(String.init) ?? path
                } else {
                    ""
                }
            }
            if names.isEmpty { continue }
            if names.count == 1, let place = entity.attributes.firstIndex(where: { $0.value.name == names[0] }) {
                entity.attributes[place].value = entity.attributes[place].value.with(isUnique: true)
            } else if names.count == 1, entity.identity == names[0] {
                continue
            } else if let own = names.first(where: isUnique) {
                notes.append(
                    "\(macro.location): \(entity.name): no two have the same "
                        + "\(names.joined(separator: ", ")) together, "
                        + "as no two have the same \(own)")
            } else {
                let list = names.joined(separator: ", ")
                ask(
                    .uniqueness, at: macro.location, "no two have the same \(list) together: how is that kept?",
                    [
                        .init("remove this", "two devices can each make one, and both stay"),
                        .init(
                            "Attribute(\"\(ModelReader.joined(names))\", .string.optional, .unique) in the next "
                                + "version",
                            "an attribute that the app makes of them: the server keeps it unique"),
                    ])
            }
        }
    }

    /// Whether no two records have the same, each by itself.
    private func isUnique(_ name: String) -> Bool {
        entity.identity == name || entity.attributes.contains { $0.value.name == name && $0.value.isUnique }
    }

    /// `levelAndPast`
    private static func joined(_ names: [String]) -> String {
        let others = names.dropFirst().map { "And" + ($0.first?.uppercased() ?? "") + $0.dropFirst() }
        return (names.first ?? "") + others.joined()
    }

    // MARK: Properties

    private mutating func read(_ property: PropertyFact, in scope: Int, isInherited: Bool) {
        let name = property.name
        guard !property.isComputed, !property.modifiers.contains(where: ["static", "class"].contains) else { return }
        let marks = PropertyMarks(property)
        if marks.isTransient {
            entity.passing.insert(name)
            return note(property.location, name, "not synced: the store does not keep it either")
        }
        for (location, text) in marks.notes { note(location, name, text) }
        if let condition = property.condition {
            ask(
                .condition, name, at: property.location,
                "‘\(name)’ is there only under ‘#if \(condition)’: is it in this version?",
                [
                    .init("remove this", "it is: devices without it are sent it, and must leave it alone"),
                    .init("scope: .local at the property", "it stays on the device"),
                ])
        }
        if entity.attributes.contains(where: { $0.value.name == name })
            || entity.relationships.contains(where: { $0.value.name == name })
        {
            return
        }
        if let reason = marks.unknown ?? unstorable(property) {
            return askForType(property, "\(reason): is it stored, and how does it travel?", code: .wrapper, in: scope)
        }
        let declared = property.type ?? property.value.flatMap { types.inferred(from: $0, in: scope) }
        // The macro stores every property that it does not leave out, and a ‘let’ like a ‘var’.
        if property.isConstant { note(property.location, name, "a ‘let’, and stored and synced like the others") }
        guard let declared else {
            return askForType(
                property, "‘\(name)’ states no type, and its value does not tell it: what is it?", in: scope)
        }
        let type = types.read(declared, in: scope)
        if marks.transformer != nil { return askForTransformed(property, type) }
        for text in type.notes { note(property.location, name, text) }
        switch type.meaning {
        case .unknown(let reason):
            askForType(
                property, "\(reason): how does ‘\(name)’ travel?", in: scope, isUndeclared: type.isUndeclared)
        case .model(let target, let isMany):
            add(property, marks, to: target, isMany: isMany, isInherited: isInherited)
        case .value(let kind): add(property, marks, kind, type, scope)
        }
    }

    private mutating func askForTransformed(_ property: PropertyFact, _ type: ReadType) {
        let name = property.name
        let suffix = type.isOptional ? ".optional" : ""
        var choices: [Decision.Choice] = [
            .init(
                "Attribute(\"\(name)\", .data\(suffix))", "the bytes that the transformer makes, whole with each edit"),
            .init("Attribute(\"\(name)\", .string\(suffix))", "a text that the app makes of it"),
            .init(
                "Attribute(\"\(name)\", .string.optional, scope: .local)", "it stays on the device, as whatever it is"),
        ]
        if case .value(let kind) = type.meaning {
            let known = DeclarationCode.type(AttributeType(kind: kind, isOptional: type.isOptional)).line
            choices.insert(
                .init("Attribute(\"\(name)\", \(known))", "the value itself, without the transformer"), at: 0)
        }
        ask(
            .type, name, at: property.location, "‘\(name)’ is stored through a transformer: how does it travel?",
            leavesOut: true, choices)
    }

    private func unstorable(_ property: PropertyFact) -> String? {
        if property.modifiers.contains("lazy") { return "‘\(property.name)’ is lazy" }
        return nil
    }

    private mutating func askForType(
        _ property: PropertyFact, _ question: String, code: Decision.Code = .type, in scope: Int,
        isUndeclared: Bool = false
    ) {
        let name = property.name
        let local = Decision.Choice(
            "Attribute(\"\(name)\", .string.optional, scope: .local)", "it stays on the device, as whatever it is")
        let declared = property.type ?? property.value.flatMap { types.inferred(from: $0, in: scope) }
        let type = declared.map { types.read($0, in: scope) }
        if let type, case .value(let kind) = type.meaning {
            let known = DeclarationCode.type(AttributeType(kind: kind, isOptional: type.isOptional)).line
            return ask(
                code, name, at: property.location, question, leavesOut: true,
                [.init("Attribute(\"\(name)\", \(known))", "a value like any other"), local])
        }
        let isOptional = if case .optional = declared { true } else { false }
        let word = declared.map { isOptional ? String($0.text.dropLast()) : $0.text } ?? "JSON"
        let suffix = isOptional ? ".optional" : ""
        let folder = Decision.Choice("name the folder that declares it, too", "and import again: then this is known")
        ask(
            code, name, at: property.location, question, leavesOut: true,
            (isUndeclared ? [folder] : []) + [
                .init("Attribute(\"\(name)\", .codable(\"\(word)\")\(suffix))", "any JSON: the app encodes it"),
                .init("Attribute(\"\(name)\", .string\(suffix))", "a text; a later change of type needs a Convert"),
                .init("Attribute(\"\(name)\", .data\(suffix))", "bytes, whole with each edit"),
                local,
            ])
    }

    private mutating func add(
        _ property: PropertyFact, _ marks: PropertyMarks, _ kind: AttributeType.Kind, _ type: ReadType, _ scope: Int
    ) {
        let name = property.name
        if name == "id", !type.isOptional, let identityType = Schema.IdentityType(kind) {
            (entity.identity, entity.identityType) = ("id", identityType)
            if let old = marks.originalName { note(property.location, name, "its old name ‘\(old)’ does not matter") }
            return
        }
        var standard: Default?
        if let value = property.value {
            switch DefaultReader(index: index, type: type, kind: kind).read(value, in: scope) {
            case .standard(let found): standard = found
            case .unknown(let reason): askForDefault(property, kind, type.isOptional, reason)
            }
        }
        entity.attributes.append(
            .init(
                value: Schema.Attribute(
                    name: name, originalName: marks.originalName,
                    type: AttributeType(kind: kind, isOptional: type.isOptional), default: standard, scope: .synced,
                    isUnique: marks.isUnique),
                location: property.location))
    }

    private mutating func askForDefault(
        _ property: PropertyFact, _ kind: AttributeType.Kind, _ isOptional: Bool, _ reason: String
    ) {
        let attribute = Schema.Attribute(
            name: property.name, originalName: nil, type: AttributeType(kind: kind, isOptional: isOptional),
            default: nil, scope: .synced)
        ask(
            .standard, property.name, at: property.location,
            "‘\(property.name)’: \(reason): what do the records of older versions get?", attribute.answers)
    }

    private mutating func add(
        _ property: PropertyFact, _ marks: PropertyMarks, to target: Int, isMany: Bool, isInherited: Bool
    ) {
        if isInherited, isMany {
            return note(
                property.location, property.name, "left out: the records that it leads to refer to the class above")
        }
        entity.relationships.append(
            .init(
                value: Schema.Relationship(
                    name: property.name, originalName: marks.originalName, target: index.nodes[target].name,
                    cardinality: isMany ? .toMany : .toOne, deleteRule: marks.deleteRule ?? .nullify,
                    inverse: isInherited ? nil : marks.inverse),
                location: property.location, target: target, isInverseStated: marks.inverse != nil,
                isInherited: isInherited))
    }

    // MARK: Identity

    private mutating func checkIdentity() {
        guard entity.identity == nil else { return }
        let name = entity.name
        let leave = Decision.Choice(
            "remove this", "each device gives a record its id when it first syncs it, and remembers which")
        let next = Decision.Choice(
            "Identity(\"id\") in the next version", "the app's model gets ‘var id: UUID’; records keep their ids")
        if let id = entity.attributes.first(where: { $0.value.name == "id" }) {
            ask(
                .identity, "id", at: id.location,
                "‘id’ is of type \(id.value.type), and a record's id is a UUID or a String: what tells the records of "
                    + "‘\(name)’ apart?",
                [leave, next])
        } else if let unique = entity.attributes.first(where: { $0.value.isUnique && $0.value.type == .uuid }) {
            ask(
                .identity, unique.value.name, at: unique.location,
                "‘\(name)’ has no ‘id’: is ‘\(unique.value.name)’ the record's id?",
                [
                    .init(
                        "Identity(\"\(unique.value.name)\") instead of the attribute",
                        "it travels as the record's id, and never changes"),
                    leave,
                ])
        } else {
            // Nothing is lost by it: an id that a later version declares takes over what each device remembers.
            notes.append(
                "\(entity.location): \(name): without an ‘id: UUID’: each device gives a record its id when it first "
                    + "syncs it, and remembers which")
        }
    }
}

extension Schema.IdentityType {
    /// `nil` for what no id is.
    fileprivate init?(_ kind: AttributeType.Kind) {
        switch kind {
        case .uuid: self = .uuid
        case .string: self = .string
        default: return nil
        }
    }
}

extension AttributeType {
    /// The type of a kind that no declaration wrote.
    init(kind: Kind, isOptional: Bool) {
        let type: AttributeType =
            switch kind {
            case .bool: .bool
            case .int: .int
            case .double: .double
            case .decimal: .decimal
            case .string, .reference: .string
            case .date: .date
            case .uuid: .uuid
            case .data: .data
            case .enumeration(let name, let cases): .enumeration(name, cases)
            case .array(let element): .array(of: AttributeType(kind: element, isOptional: false))
            case .codable(let name): .codable(name)
            }
        self = isOptional ? type.optional : type
    }
}

extension Schema.Attribute {
    /// With some of it changed.
    func with(
        originalName: String?? = nil, type: AttributeType? = nil, default standard: Default?? = nil,
        scope: Schema.Scope? = nil, unit: String?? = nil, isUnique: Bool? = nil, merge: MergePolicy? = nil
    ) -> Schema.Attribute {
        Schema.Attribute(
            name: name, originalName: originalName ?? self.originalName, type: type ?? self.type,
            default: standard ?? self.default, scope: scope ?? self.scope, unit: unit ?? self.unit,
            isUnique: isUnique ?? self.isUnique, merge: merge ?? self.merge)
    }
}
