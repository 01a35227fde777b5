import SourceFacts
import StrictJSON
import WireFormats

/// The meaning that a property's Swift type has for a plan: a value, a reference to records, or unknown.
struct ReadType {
    enum Meaning {
        /// A value, with the kind of attribute that stores it.
        case value(AttributeType.Kind)
        /// A reference to one or several records of a `@Model` type. The type is given by its index in the source index
        /// (`SourceIndex`).
        case model(Int, isMany: Bool)
        /// The import cannot interpret the type. The text says why.
        case unknown(String)
    }

    var meaning: Meaning
    var isOptional = false
    /// True if the sources that were read do not declare the type. The user may name another folder, which declares it.
    var isUndeclared = false
    /// True for an identifier with which the store on one device identifies its records. It means nothing on other
    /// devices.
    var isOfStore = false
    /// True for a URL. It is sent as a text, although not every text is a URL.
    var isURL = false
    /// The enumeration with its cases, if the type is an enumeration; otherwise `nil`.
    var enumeration: EnumerationReader?
    /// True for a type whose values are sent as JSON: a list or another `Codable` type.
    var isCoded: Bool {
        switch meaning {
        case .value(.codable), .value(.array): true
        default: false
        }
    }
    /// Notes for the user on the property. Each is worded to follow the property's name in a sentence.
    var notes: [String] = []
}

/// Determines the meaning that the types of properties have for a plan. Names of types are looked up in the scope in
/// which they are written.
struct TypeReader {
    let index: SourceIndex
    private var aliases = 0

    /// The maximum number of type aliases that are followed. A longer chain means that an alias refers to itself.
    private static let aliasesMax = 16

    init(index: SourceIndex) { self.index = index }

    private static let scalars: [String: AttributeType.Kind] = [
        "Bool": .bool, "Int": .int, "Int8": .int, "Int16": .int, "Int32": .int, "Int64": .int, "UInt": .int,
        "UInt8": .int, "UInt16": .int, "UInt32": .int, "UInt64": .int, "Double": .double, "Float": .double,
        "Float16": .double, "Float32": .double, "Float64": .double, "CGFloat": .double, "TimeInterval": .double,
        "Decimal": .decimal, "String": .string, "Character": .string, "URL": .string, "Date": .date, "UUID": .uuid,
        "Data": .data,
    ]

    func read(_ type: TypeReference, in scope: Int) -> ReadType {
        switch type {
        case .optional(let inner): return optional(inner, in: scope)
        case .array(let element): return list(of: element, in: scope, isSet: false)
        case .dictionary(let key, let value): return dictionary(type, [key, value], in: scope)
        case .other(let text): return ReadType(meaning: .unknown("‘\(text)’ is no type that a plan has"))
        case .named(let name, let arguments):
            switch (bare(name), arguments.count) {
            case ("Optional", 1): return optional(arguments[0], in: scope)
            case ("Array", 1), ("ContiguousArray", 1): return list(of: arguments[0], in: scope, isSet: false)
            case ("Set", 1): return list(of: arguments[0], in: scope, isSet: true)
            case ("Dictionary", 2): return dictionary(type, arguments, in: scope)
            default: return named(name, arguments, type, in: scope)
            }
        }
    }

    private func bare(_ name: String) -> String { FrameworkTypes.bare(name) }

    private func optional(_ inner: TypeReference, in scope: Int) -> ReadType {
        var type = read(inner, in: scope)
        if type.isOptional {
            return ReadType(meaning: .unknown("‘\(inner.text)?’ is optional twice"))
        }
        type.isOptional = true
        return type
    }

    private func list(of element: TypeReference, in scope: Int, isSet: Bool) -> ReadType {
        var type = read(element, in: scope)
        if type.isOptional {
            return ReadType(
                meaning: .value(.codable(name: "[\(element.text)]")),
                notes: ["it is a list with holes, so it travels as any JSON"])
        }
        switch type.meaning {
        case .value(let kind): type.meaning = .value(.array(kind))
        case .model(let model, isMany: false): type.meaning = .model(model, isMany: true)
        case .model: type.meaning = .unknown("‘[\(element.text)]’ is a list of lists of models")
        case .unknown: break
        }
        if isSet, case .value = type.meaning {
            type.notes.append("it is a set, and travels as a list: two devices may order it differently")
        }
        return type
    }

    private func dictionary(_ type: TypeReference, _ parts: [TypeReference], in scope: Int) -> ReadType {
        for part in parts {
            let part = read(part, in: scope)
            if case .unknown(let reason) = part.meaning {
                return ReadType(meaning: .unknown(reason), isUndeclared: part.isUndeclared)
            }
            if case .model = part.meaning {
                return ReadType(meaning: .unknown("‘\(type.text)’ is a dictionary of models"))
            }
        }
        return ReadType(meaning: .value(.codable(name: type.text)))
    }

    private func named(_ name: String, _ arguments: [TypeReference], _ type: TypeReference, in scope: Int) -> ReadType {
        // The sources first: an app may have a ‘Data’ of its own.
        if let node = index.lookup(name, from: scope), index.nodes[node].declaration != nil {
            return declared(node, type, in: scope)
        }
        guard arguments.isEmpty, let kind = TypeReader.scalars[bare(name)] else {
            return undeclared(name, arguments, type, in: scope)
        }
        var read = ReadType(meaning: .value(kind))
        switch bare(name) {
        case "UInt", "UInt64": read.notes.append("a ‘\(name)’ above Int64.max does not travel")
        case "URL":
            read.isURL = true
            read.notes.append("a URL travels as its text")
        case "Float", "Float32", "Float16": read.notes.append("a ‘\(name)’ travels with the digits of a Double")
        default: break
        }
        return read
    }

    /// Returns the meaning of a type that the sources do not declare: one of a framework, a package or a folder that
    /// was not read.
    private func undeclared(
        _ name: String, _ arguments: [TypeReference], _ type: TypeReference, in scope: Int
    ) -> ReadType {
        let name = bare(name)
        if name.hasSuffix(".RawValue"), let node = index.lookup(String(name.dropLast(9)), from: scope),
            let kind = EnumerationReader(index.nodes[node]).rawKind
        {
            return ReadType(meaning: .value(kind))
        }
        let isExtended = index.lookup(name, from: scope).map { index.isCodable($0) } ?? false
        let isContainer = FrameworkTypes.containers.contains(name)
        if isContainer || FrameworkTypes.codable.contains(name) || isExtended {
            for argument in arguments where isContainer {
                let part = read(argument, in: scope)
                guard case .value = part.meaning else { return part }
            }
            return ReadType(
                meaning: .value(.codable(name: type.text)),
                notes: ["it travels as the JSON that the app makes of it"])
        }
        if FrameworkTypes.ofStore.contains(name) {
            return ReadType(
                meaning: .unknown("a ‘\(name)’ means nothing to another device"), isOfStore: true)
        }
        if FrameworkTypes.isFramework(name) {
            return ReadType(meaning: .unknown("‘\(type.text)’ is a framework's, and is not ‘Codable’"))
        }
        return ReadType(meaning: .unknown("the sources do not declare ‘\(type.text)’"), isUndeclared: true)
    }

    /// Returns true if `name` is that of a built-in value type, a collection or `Optional`. (A type of this name that
    /// the sources declare is not considered.)
    static func isValue(_ name: String) -> Bool {
        let own = name.split(separator: ".").last.map(String.init) ?? name
        return scalars[own] != nil || ["Array", "ContiguousArray", "Dictionary", "Optional", "Set"].contains(own)
    }

    /// Returns true if `name` denotes, inside `scope`, a single value and not a list: a built-in type or an alias of
    /// one.
    private func isScalar(_ name: String, in scope: Int) -> Bool {
        guard let node = index.lookup(name, from: scope), let declaration = index.nodes[node].declaration else {
            return TypeReader.scalars[bare(name)] != nil
        }
        let type = TypeReference.named(name, arguments: [])
        guard declaration.kind == .typealias, case .value(let kind) = read(type, in: scope).meaning else {
            return false
        }
        return TypeReader.scalars.values.contains(kind)
    }

    private func declared(_ node: Int, _ type: TypeReference, in scope: Int) -> ReadType {
        let found = index.nodes[node]
        guard let declaration = found.declaration else {
            return ReadType(meaning: .unknown("the sources do not declare ‘\(type.text)’"))
        }
        var read = form(of: found, declaration, node, type)
        if let condition = index.condition(node), condition != index.condition(scope) {
            read.meaning = .unknown("‘\(type.text)’ is declared under ‘#if \(condition)’")
        }
        return read
    }

    private func form(
        of found: SourceIndex.Node, _ declaration: TypeFact, _ node: Int, _ type: TypeReference
    ) -> ReadType {
        switch declaration.kind {
        case .typealias:
            guard let target = declaration.target, aliases < TypeReader.aliasesMax else { break }
            var reader = self
            reader.aliases += 1
            return reader.read(target, in: found.parent ?? SourceIndex.root)
        case .class where found.isModel: return ReadType(meaning: .model(node, isMany: false))
        case .enum:
            let enumeration = EnumerationReader(found, isCodable: index.isCodable(node))
            var read = ReadType(meaning: .value(.codable(name: type.label)), enumeration: enumeration)
            switch enumeration.form {
            case .texts(let cases): read.meaning = .value(.enumeration(name: found.name, cases: cases.map(\.raw)))
            case .integers:
                read.meaning = .value(.int)
                read.notes.append("the cases of ‘\(found.name)’ travel as whole numbers")
            case .doubles: read.meaning = .value(.double)
            case .codable: break
            case .unknown(let reason): read.meaning = .unknown("‘\(found.name)’ \(reason)")
            }
            return read
        case .struct, .class, .actor:
            return ReadType(
                meaning: index.isCodable(node)
                    ? .value(.codable(name: type.label))
                    : .unknown("‘\(type.text)’ is not ‘Codable’ as far as the sources say"))
        case .extension, .protocol: break
        }
        return ReadType(meaning: .unknown("‘\(type.text)’ is no type of a value"))
    }

    /// Returns the type of a property that states no type, inferred from its initial value; `nil` if the value does not
    /// determine the type.
    func inferred(from value: ExpressionFact, in scope: Int) -> TypeReference? {
        switch value {
        case .string: return .named("String", arguments: [])
        case .integer: return .named("Int", arguments: [])
        case .float: return .named("Double", arguments: [])
        case .bool: return .named("Bool", arguments: [])
        case .other(let text):
            if text == "UUID().uuidString" || StringText.isText(text) { return .named("String", arguments: []) }
            if text.hasSuffix("?.none") { return OptionalText.type(text.dropLast(".none".count)) }
            if let numbers = Arithmetic(text) { return .named(numbers.isWhole ? "Int" : "Double", arguments: []) }
            return DefaultReader.forced(text).map { .named($0.type, arguments: []) }
        case .dictionary(let elements):
            let keys = elements.map { inferred(from: $0.key, in: scope) }
            let values = elements.map { inferred(from: $0.value, in: scope) }
            guard let key = keys.first, let key, let value = values.first, let value,
                keys.allSatisfy({ $0 == key }), values.allSatisfy({ $0 == value })
            else { return nil }
            return .dictionary(key: key, value: value)
        case .array(let elements):
            let types = elements.map { inferred(from: $0, in: scope) }
            guard let first = types.first, let first, types.allSatisfy({ $0 == first }) else { return nil }
            return .array(first)
        case .member(let base?, "none", _) where OptionalText.type(base) != nil: return OptionalText.type(base)
        case .member(let base?, "rawValue", _):
            let type = base.split(separator: ".").dropLast().joined(separator: ".")
            guard let node = index.lookup(type, from: scope) else { return nil }
            switch EnumerationReader(index.nodes[node]).rawKind {
            case .string: return .named("String", arguments: [])
            case .int: return .named("Int", arguments: [])
            case .double: return .named("Double", arguments: [])
            default: return nil
            }
        case .member(let base?, let name, _) where name != "self":
            // For a static constant, such as ‘Limits.most’, the type of the constant.
            if let node = index.lookup(base, from: scope).map({ index.underlying($0) }) {
                if index.nodes[node].facts.flatMap(\.cases).contains(where: { $0.name == name }) {
                    return .named(base, arguments: [])
                }
                if let constant = index.nodes[node].properties.first(where: { $0.name == name }) {
                    return constant.type ?? constant.value.flatMap { inferred(from: $0, in: node) }
                }
            }
            return isScalar(base, in: scope) ? .named(base, arguments: []) : nil
        case .call(let function, let arguments):
            let name = ["init", "some"].reduce(function) { $0.hasSuffix(".\($1)") ? String($0.dropLast(5)) : $0 }
            if name == "Optional", arguments.count == 1 {
                return inferred(from: arguments[0].value, in: scope).map { .optional($0) }
            }
            if name.hasSuffix(".addingTimeInterval") || name == "Calendar.current.startOfDay" {
                return .named("Date", arguments: [])
            }
            guard !name.isEmpty, !name.hasPrefix(".") else { return nil }
            let type = TypeText.type(name)
            switch type {
            case .named(let word, let arguments):
                let isKnown = index.lookup(word, from: scope).map { index.nodes[$0].declaration != nil } ?? false
                return isKnown || isScalar(word, in: scope) || !arguments.isEmpty ? type : nil
            case .array, .dictionary, .optional: return type
            case .other: return nil
            }
        default: return nil
        }
    }
}

extension TypeReference {
    /// The type's name without its enclosing types: `Kind` for `SchemaV1.Kind`. So it is the same in all versions even
    /// if each version declares the type again.
    fileprivate var label: String {
        guard case .named(let name, let arguments) = self else { return text }
        let own = name.split(separator: ".").last.map(String.init) ?? name
        return TypeReference.named(own, arguments: arguments).text
    }
}
