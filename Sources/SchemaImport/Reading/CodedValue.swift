import SourceFacts
import StrictJSON
import WireFormats

/// Computes the JSON of a `Codable` type's value as the coding that Swift synthesizes would write it.
///
/// Only the type's declaration is used: if a type has hand-written coding, its JSON is unknown.
struct CodedValue {
    let index: SourceIndex

    /// The maximum depth of types or values inside one another. A greater depth means that a type or value contains
    /// itself.
    private static let depthMax = 8

    private enum Outcome {
        case json(String)
        /// The value is an optional's `nil`. Its property is left out of the JSON object.
        case absent
        case unknown

        var text: String? { if case .json(let text) = self { text } else { nil } }
    }

    /// Returns the JSON of a property's initial value; `nil` if the JSON does not follow from the declaration, or if
    /// the value differs for each record.
    func json(_ value: ExpressionFact, as type: TypeReference, in scope: Int) -> String? {
        coded(value, type, scope, steps: 0).text
    }

    /// Returns an example of JSON that the app can decode as `type`. It consists of the initial values of the type's
    /// properties, and of the smallest possible values where there are none.
    func example(of type: TypeReference, in scope: Int) -> String? {
        example(type, scope, steps: 0).text
    }

    // MARK: Values

    private func coded(_ value: ExpressionFact, _ type: TypeReference, _ scope: Int, steps: Int) -> Outcome {
        guard steps < CodedValue.depthMax else { return .unknown }
        switch CodedValue.plain(type) {
        case .optional(let inner):
            if case .null = value { return .absent }
            if case .member(_, "none", _) = value { return .absent }
            return coded(value, inner, scope, steps: steps + 1)
        case .array(let element): return list(value, of: element, scope, steps: steps)
        case .dictionary(let key, let element): return dictionary(value, key, element, scope, steps: steps)
        case .named(let name, _):
            guard let node = index.lookup(name, from: scope), let declaration = index.nodes[node].declaration else {
                return scalar(value, type, scope)
            }
            let outer = index.nodes[node].parent ?? SourceIndex.root
            switch declaration.kind {
            case .typealias:
                return declaration.target.map { coded(value, $0, outer, steps: steps + 1) } ?? .unknown
            case .enum: return enumeration(value, node, type, scope)
            case .struct, .class: return made(value, node, declaration, scope, steps: steps)
            default: return .unknown
            }
        case .other: return .unknown
        }
    }

    /// Returns a type with generic forms simplified: `Array<T>` to `[T]`, `Optional<T>` to `T?`.
    private static func plain(_ type: TypeReference) -> TypeReference {
        guard case .named(let name, let arguments) = type else { return type }
        return switch (FrameworkTypes.bare(name), arguments.count) {
        case ("Optional", 1): .optional(arguments[0])
        case ("Array", 1), ("ContiguousArray", 1), ("Set", 1): .array(arguments[0])
        case ("Dictionary", 2): .dictionary(key: arguments[0], value: arguments[1])
        default: type
        }
    }

    private func list(_ value: ExpressionFact, of element: TypeReference, _ scope: Int, steps: Int) -> Outcome {
        switch value {
        case .array(let elements):
            let texts = elements.compactMap { coded($0, element, scope, steps: steps + 1).text }
            return texts.count == elements.count ? .json("[\(texts.joined(separator: ","))]") : .unknown
        case .call(let function, let arguments) where arguments.isEmpty:
            let isList = ["[", "Array", "Set", "ContiguousArray", ".init"].contains { function.hasPrefix($0) }
            return isList ? .json("[]") : .unknown
        default: return .unknown
        }
    }

    private func dictionary(
        _ value: ExpressionFact, _ key: TypeReference, _ element: TypeReference, _ scope: Int, steps: Int
    ) -> Outcome {
        switch value {
        case .dictionary(let elements):
            if elements.isEmpty { return .json(emptyDictionary(key, scope)) }
            var members: [String: String] = [:]
            for pair in elements {
                guard isText(key, scope), case .string(let name) = pair.key,
                    let text = coded(pair.value, element, scope, steps: steps + 1).text
                else { return .unknown }
                members[name] = text
            }
            return .json(CodedValue.object(members))
        case .call(let function, let arguments) where arguments.isEmpty:
            let isDictionary = ["[", "Dictionary", ".init"].contains { function.hasPrefix($0) }
            return isDictionary ? .json(emptyDictionary(key, scope)) : .unknown
        default: return .unknown
        }
    }

    /// Returns the JSON of an empty dictionary: an object if the keys can be names in a JSON object; otherwise a list,
    /// in which keys and values alternate.
    private func emptyDictionary(_ key: TypeReference, _ scope: Int) -> String {
        if isText(key, scope) { return "{}" }
        guard case .named(let name, _) = key else { return "[]" }
        let node = index.lookup(name, from: scope)
        if node == nil || index.nodes[node ?? 0].declaration?.kind == .typealias {
            if case .value(.int) = TypeReader(index: index).read(key, in: scope).meaning { return "{}" }
        }
        return node.map { index.conforms($0, to: ["CodingKeyRepresentable"]) } == true ? "{}" : "[]"
    }

    private func isText(_ type: TypeReference, _ scope: Int) -> Bool {
        if case .value(.string) = TypeReader(index: index).read(type, in: scope).meaning { true } else { false }
    }

    private static func object(_ members: [String: String]) -> String {
        let sorted = members.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
        let texts = sorted.map { member in JSONWriter.text { $0.string(member.key) } + ":" + member.value }
        return "{\(texts.joined(separator: ","))}"
    }

    /// Returns the JSON of a value whose type is not declared in the sources.
    private func scalar(_ value: ExpressionFact, _ type: TypeReference, _ scope: Int) -> Outcome {
        let read = TypeReader(index: index).read(type, in: scope)
        guard case .value(let kind) = read.meaning else { return .unknown }
        if case .codable(let name) = kind {
            guard case .member(_, "zero", _) = value, FrameworkTypes.zeros.contains(name) else { return .unknown }
            return example(type, scope, steps: 0)
        }
        guard
            case .standard(let standard?) = DefaultReader(index: index, type: read, kind: kind).read(value, in: scope)
        else { return .unknown }
        return json(standard, kind)
    }

    private func json(_ standard: Default, _ kind: AttributeType.Kind) -> Outcome {
        switch standard.constant(for: kind) {
        case .bool(let value): .json("\(value)")
        case .int(let value): .json("\(value)")
        case .double(let value): .json(JSONWriter.text { $0.double(value) })
        case .decimal(let value): .json(value.text)
        case .string(let text): .json(JSONWriter.text { $0.string(text) })
        default: .unknown
        }
    }

    private func enumeration(_ value: ExpressionFact, _ node: Int, _ type: TypeReference, _ scope: Int) -> Outcome {
        let found = index.nodes[node]
        guard !isCodedByHand(node) else { return .unknown }
        let read = TypeReader(index: index).read(type, in: scope)
        if case .value(let kind) = read.meaning, EnumerationReader(found).rawKind != nil {
            guard
                case .standard(let standard?) = DefaultReader(index: index, type: read, kind: kind)
                    .read(value, in: scope)
            else { return .unknown }
            return json(standard, kind)
        }
        guard case .member(_, let name, _) = value else { return .unknown }
        return self.case(name, of: node)
    }

    /// Returns the JSON of a case of an enumeration without raw values: `{"plain":{}}`. It is unknown if the case has
    /// associated values.
    private func `case`(_ name: String, of node: Int) -> Outcome {
        let cases = index.nodes[node].facts.flatMap(\.cases)
        guard let found = cases.first(where: { $0.name == name }), !found.hasAssociatedValues,
            let keys = keys(of: node), let key = keys(name)
        else { return .unknown }
        return .json(CodedValue.object([key: "{}"]))
    }

    // MARK: Structures

    private func isCodedByHand(_ node: Int) -> Bool {
        !index.nodes[node].functions.isDisjoint(with: ["init(from:)", "encode(to:)"])
    }

    /// Returns a function from the name of a property or case to its JSON name, or to `nil` if it is not encoded. The
    /// JSON names are those of `CodingKeys`, if the type declares them. If one of them is no plain string literal,
    /// there is no function and the result is `nil`.
    private func keys(of node: Int) -> ((String) -> String?)? {
        guard let own = index.nodes[node].children["CodingKeys"] else { return { $0 } }
        let cases = index.nodes[own].facts.flatMap(\.cases)
        var names: [String: String] = [:]
        for item in cases {
            switch item.rawValue {
            case nil: names[item.name] = item.name
            case .string(let raw): names[item.name] = raw
            default: return nil
            }
        }
        return { names[$0] }
    }

    private func made(
        _ value: ExpressionFact, _ node: Int, _ declaration: TypeFact, _ scope: Int, steps: Int
    ) -> Outcome {
        let found = index.nodes[node]
        switch value {
        case .call(let function, let arguments):
            let name = function.hasSuffix(".init") ? String(function.dropLast(5)) : function
            guard name.isEmpty || index.lookup(String(name.prefix { $0 != "<" }), from: scope) == node else {
                return .unknown
            }
            // The effect of a hand-written initializer is in its body, which is not read.
            let labels = "init(\(arguments.map { "\($0.label ?? "_"):" }.joined()))"
            guard declaration.kind == .struct || arguments.isEmpty, !found.functions.contains(labels),
                !(declaration.functions.contains { $0.hasPrefix("init") && $0 != "init(from:)" })
            else { return .unknown }
            return members(node, declaration, steps: steps) { property in
                if let argument = arguments.first(where: { $0.label == property.name }) {
                    return (argument.value, scope)
                }
                return property.value.map { ($0, node) }
            }
        case .member(let base, let name, _):
            guard base == nil || index.lookup(base ?? "", from: scope) == node,
                let constant = found.properties.first(where: {
                    $0.name == name && $0.modifiers.contains("static") && !$0.isComputed
                })?.value
            else { return .unknown }
            return coded(constant, .named(found.name, arguments: []), node, steps: steps + 1)
        default: return .unknown
        }
    }

    /// Returns the JSON object of a value, with all stored properties of its type. The closure returns the value of a
    /// property. It may return `nil` for an optional property, and for any property if only an example is wanted.
    private func members(
        _ node: Int, _ declaration: TypeFact, steps: Int,
        _ value: (PropertyFact) -> (value: ExpressionFact, scope: Int)?
    ) -> Outcome {
        guard !isCodedByHand(node), declaration.genericParameters.isEmpty, let keys = keys(of: node),
            !hasSuperclass(node, declaration)
        else { return .unknown }
        var members: [String: String] = [:]
        for property in declaration.properties where !property.isComputed && !property.modifiers.contains("static") {
            guard property.attributes.isEmpty, !property.modifiers.contains("lazy"), property.condition == nil else {
                return .unknown
            }
            guard let key = keys(property.name) else { continue }
            let inferred = property.value.flatMap { TypeReader(index: index).inferred(from: $0, in: node) }
            guard let type = property.type ?? inferred else { return .unknown }
            let outcome: Outcome
            if let (value, scope) = value(property) {
                outcome = coded(value, type, scope, steps: steps + 1)
            } else if case .optional = CodedValue.plain(type) {
                outcome = .absent
            } else {
                outcome = .unknown
            }
            switch outcome {
            case .json(let text): members[key] = text
            case .absent: break
            case .unknown:
                guard isExample else { return .unknown }
                switch example(type, node, steps: steps + 1) {
                case .json(let text): members[key] = text
                case .absent: break
                case .unknown: return .unknown
                }
            }
        }
        return .json(CodedValue.object(members))
    }

    private func hasSuperclass(_ node: Int, _ declaration: TypeFact) -> Bool {
        guard declaration.kind == .class, case .named(let name, _) = declaration.inherited.first else { return false }
        let above = index.lookup(name, from: index.nodes[node].parent ?? SourceIndex.root)
        return above.map { index.nodes[$0].declaration?.kind == .class } ?? false
    }

    // MARK: Examples

    /// True if any JSON is wanted that the app can decode. False if the JSON of a certain value is wanted.
    private var isExample = false

    init(index: SourceIndex) { self.index = index }

    private func example(_ type: TypeReference, _ scope: Int, steps: Int) -> Outcome {
        guard steps < CodedValue.depthMax else { return .unknown }
        var reader = self
        reader.isExample = true
        switch CodedValue.plain(type) {
        case .optional: return .absent
        case .array: return .json("[]")
        case .dictionary(let key, _): return .json(emptyDictionary(key, scope))
        case .other: return .unknown
        case .named(let name, _):
            guard let node = index.lookup(name, from: scope), let declaration = index.nodes[node].declaration else {
                return CodedValue.example(of: TypeReader(index: index).read(type, in: scope).meaning)
            }
            switch declaration.kind {
            case .typealias:
                let outer = index.nodes[node].parent ?? SourceIndex.root
                return declaration.target.map { reader.example($0, outer, steps: steps + 1) } ?? .unknown
            case .enum: return reader.firstCase(of: node)
            case .struct, .class:
                return reader.members(node, declaration, steps: steps) { property in property.value.map { ($0, node) } }
            default: return .unknown
            }
        }
    }

    private func firstCase(of node: Int) -> Outcome {
        let enumeration = EnumerationReader(index.nodes[node], isCodable: index.isCodable(node))
        guard !isCodedByHand(node) else { return .unknown }
        switch enumeration.form {
        case .texts(let cases):
            return cases.first.map { item in .json(JSONWriter.text { $0.string(item.raw) }) } ?? .unknown
        case .integers(let cases): return cases.first.map { .json("\($0.raw)") } ?? .unknown
        case .codable:
            let plain = index.nodes[node].facts.flatMap(\.cases).first { !$0.hasAssociatedValues }
            return plain.map { self.case($0.name, of: node) } ?? .unknown
        case .doubles, .unknown: return .unknown
        }
    }

    private static func example(of meaning: ReadType.Meaning) -> Outcome {
        guard case .value(let kind) = meaning else { return .unknown }
        return switch kind {
        case .bool: .json("false")
        case .int, .double, .decimal: .json("0")
        case .string, .data: .json("\"\"")
        case .uuid: .json("\"00000000-0000-0000-0000-000000000000\"")
        case .codable(let name): FrameworkTypes.examples[name].map { .json($0) } ?? .unknown
        // The app chooses the coding of dates.
        case .date, .array, .enumeration, .reference: .unknown
        }
    }
}
