import SourceFacts
import WireFormats

/// Reads one `@Model` class: its properties, and the questions about them.
struct ModelReader {
    let index: SourceIndex
    let types: TypeReader
    /// The names of models that are entities of their own although they are subclasses of other models.
    let separate: Set<String>
    var entity: DraftEntity
    private(set) var questions: [Question] = []
    var notes: [String] = []
    /// The properties whose initial value cannot be stated in a migration plan, each with the reason. `answer` is the
    /// default to use for records of older versions, if there is one.
    private var unstated: [(name: String, reason: String, answer: Default?)] = []

    init(_ node: Int, in index: SourceIndex, separate: Set<String>) {
        self.index = index
        self.separate = separate
        types = TypeReader(index: index)
        let fact = index.nodes[node].declaration
        entity = DraftEntity(
            name: index.nodes[node].name, node: node,
            location: fact?.location ?? SourceLocation(file: index.nodes[node].name, line: 0))
        readClass(node, isInherited: false)
        settleKeys()
        // Only now are all unique attributes known.
        for (name, reason, answer) in unstated { askForDefault(name, reason, answer) }
        checkIdentity()
    }

    mutating func ask(
        _ code: Question.Code, _ member: String? = nil, at location: SourceLocation, _ text: String,
        leavesOut: Bool = false, _ choices: [Question.Choice], answer: Default? = nil
    ) {
        var question = Question(
            code, entity: entity.name, member: member, at: location, text, leavesOut: leavesOut, choices: choices)
        question.answer = answer
        questions.append(question)
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
        // Stored properties are in the class itself, never in an extension.
        for property in fact.properties { read(property, in: node, isInherited: isInherited) }
        for macro in found.facts.flatMap(\.macros) { read(macro) }
    }

    /// Returns the possible answers to the question: is the model synced? It is asked about a model that an `#if`
    /// restricts to some builds.
    static func choices(ofConditional name: String) -> [Question.Choice] {
        [
            .init("remove this", "it is: devices without it are sent its records, and must leave them alone"),
            .init("Model(\"\(name)\", scope: .local)", "it stays on the device"),
        ]
    }

    private mutating func readSuperclass(of node: Int, _ fact: TypeFact) {
        let found = index.nodes[node]
        guard let above = index.superclass(node) else { return }
        if entity.node == node { entity.base = above }
        guard separate.contains(entity.name) else { return }
        readClass(above, isInherited: true)
        guard entity.node == node else { return }
        entity.inherited = Set(entity.attributes.map(\.value.name) + entity.relationships.map(\.value.name))
        ask(
            .inheritance, at: fact.location,
            "‘\(found.name)’ is a ‘\(index.nodes[above].name)’: is it an entity of its own?",
            [.init("remove this", "it is; what refers to a ‘\(index.nodes[above].name)’ refers to none of these")])
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
        case .value(let kind): add(property, marks, kind, type, declared, scope)
        }
    }

    private mutating func askForTransformed(_ property: PropertyFact, _ type: ReadType) {
        let name = property.name
        let suffix = type.isOptional ? ".optional" : ""
        var choices: [Question.Choice] = [
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
        _ property: PropertyFact, _ text: String, code: Question.Code = .type, in scope: Int,
        isUndeclared: Bool = false
    ) {
        let name = property.name
        let local = Question.Choice(
            "Attribute(\"\(name)\", .string.optional, scope: .local)", "it stays on the device, as whatever it is")
        let declared = property.type ?? property.value.flatMap { types.inferred(from: $0, in: scope) }
        let type = declared.map { types.read($0, in: scope) }
        if let type, case .value(let kind) = type.meaning {
            let known = DeclarationCode.type(AttributeType(kind: kind, isOptional: type.isOptional)).line
            return ask(
                code, name, at: property.location, text, leavesOut: true,
                [.init("Attribute(\"\(name)\", \(known))", "a value like any other"), local])
        }
        if let type, type.isOfStore {
            let list = if case .array = declared?.unwrapped { true } else { false }
            let travels = (list ? ".array(of: .uuid)" : ".uuid") + (type.isOptional ? ".optional" : "")
            return ask(
                code, name, at: property.location, text, leavesOut: true,
                [
                    local,
                    .init(
                        "Attribute(\"\(name)\", \(travels))",
                        "the \(list ? "ids of the records" : "id of the record"), which the app looks up"),
                ])
        }
        let isOptional = if case .optional = declared { true } else { false }
        let word = declared.map { isOptional ? String($0.text.dropLast()) : $0.text } ?? "JSON"
        let suffix = isOptional ? ".optional" : ""
        let folder = Question.Choice("name the folder that declares it, too", "and import again: then this is known")
        ask(
            code, name, at: property.location, text, leavesOut: true,
            (isUndeclared ? [folder] : []) + [
                .init("Attribute(\"\(name)\", .codable(\"\(word)\")\(suffix))", "any JSON: the app encodes it"),
                .init("Attribute(\"\(name)\", .string\(suffix))", "a text; a later change of type needs a Convert"),
                .init("Attribute(\"\(name)\", .data\(suffix))", "bytes, whole with each edit"),
                local,
            ])
    }

    private mutating func add(
        _ property: PropertyFact, _ marks: PropertyMarks, _ kind: AttributeType.Kind, _ type: ReadType,
        _ declared: TypeReference, _ scope: Int
    ) {
        let name = property.name
        if name == "id", !type.isOptional, let identityType = Schema.IdentityType(kind) {
            (entity.identity, entity.identityType) = ("id", identityType)
            if let old = marks.originalName { note(property.location, name, "its old name ‘\(old)’ does not matter") }
            return
        }
        var standard: Default?
        let coded = CodedValue(index: index)
        if case .codable = kind { entity.examples[name] = coded.example(of: declared.unwrapped, in: scope) }
        if let value = property.value {
            switch DefaultReader(index: index, type: type, kind: kind).read(value, in: scope) {
            case .standard(let found): standard = found
            case .known(let found): leaveUnstated(name, "its initial value is \(value.text)", answer: found)
            case .unknown(let reason):
                let json = type.isCoded ? coded.json(value, as: declared, in: scope) : nil
                leaveUnstated(name, reason, answer: json.map { .json($0) })
            }
        }
        if type.isURL { entity.urls.insert(name) }
        entity.attributes.append(
            .init(
                value: Schema.Attribute(
                    name: name, originalName: marks.originalName,
                    type: AttributeType(kind: kind, isOptional: type.isOptional), default: standard, scope: .synced,
                    isUnique: marks.isUnique),
                location: property.location))
    }

    mutating func leaveUnstated(_ name: String, _ reason: String, answer: Default? = nil) {
        unstated.append((name, reason, answer))
    }

    private mutating func askForDefault(_ name: String, _ reason: String, _ answer: Default?) {
        guard let attribute = entity.attributes.first(where: { $0.value.name == name }) else { return }
        ask(
            .standard, name, at: attribute.location,
            "‘\(name)’: \(reason): what do the records of older versions get?",
            attribute.value.with(originalName: .some(nil)).answers(
                isStated: true, json: entity.examples[name], isURL: entity.urls.contains(name)),
            answer: attribute.value.isUnique ? nil : answer)
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
}

extension TypeReference {
    /// The type inside, if this is an optional type; otherwise the type itself.
    fileprivate var unwrapped: TypeReference { if case .optional(let inner) = self { inner } else { self } }
}

extension Schema.IdentityType {
    /// Creates the type of a model's id from the kind of an attribute; `nil` if an id cannot be of this kind.
    fileprivate init?(_ kind: AttributeType.Kind) {
        switch kind {
        case .uuid: self = .uuid
        case .string: self = .string
        default: return nil
        }
    }
}

extension AttributeType {
    /// Creates an attribute's type from its kind.
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
    /// Returns a copy of the attribute in which the stated properties are changed, and all others are the same.
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
