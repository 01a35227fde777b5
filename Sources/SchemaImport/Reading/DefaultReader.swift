import SourceFacts
import StrictJSON
import WireFormats

/// Converts the initial value of a class's property to a default value in a migration plan. Records that lack the
/// property have this default.
struct DefaultReader {
    enum Outcome {
        /// The default to write into the plan. `nil` if the initial value is `nil`, which needs no default.
        case standard(Default?)
        /// A default that the migration plan states only if records of older versions need it.
        case known(Default)
        /// The initial value cannot be stated in a migration plan. The text says why.
        case unknown(String)
    }

    let index: SourceIndex
    let type: ReadType
    let kind: AttributeType.Kind

    /// The maximum length of a chain of constants, each of which refers to the next. A longer chain means that a
    /// constant refers to itself.
    private static let constantsMax = 4

    /// The maximum number of elements in the list of a default. A longer list is not useful as a default.
    private static let repeatedMax = 64

    func read(_ value: ExpressionFact, in scope: Int) -> Outcome { read(value, in: scope, steps: 0) }

    private func read(_ value: ExpressionFact, in scope: Int, steps: Int) -> Outcome {
        switch value {
        case .null: return .standard(nil)
        case .bool(let value) where kind == .bool: return .standard(.bool(value))
        case .string(let text) where kind == .string: return .standard(.string(text))
        case .integer(let text): return number(IntegerText.value(text).map(Double.init), text)
        case .float(let text): return number(Double(text), text)
        case .array(let elements):
            if elements.isEmpty, case .codable(let name) = kind, name.hasPrefix("["), !name.contains(":") {
                return .standard(.json("[]"))
            }
            guard case .array(let element) = kind, let json = json(elements, of: element, in: scope) else { break }
            return .standard(.json(json))
        case .dictionary(let elements):
            guard case .codable(let name) = kind else { break }
            if elements.isEmpty { return empty(value, name, in: scope) }
            // A dictionary with other keys is a list in JSON.
            guard name.hasPrefix("[String:"), let json = json(elements, in: scope) else { break }
            return .standard(.json(json))
        case .member(let base, let name, let isImplicit):
            return member(base, name, isImplicit: isImplicit, in: scope, steps: steps)
        case .call(let function, let arguments): return call(function, arguments, in: scope)
        case .other(let text):
            if text.hasSuffix("?.none"), type.isOptional { return .standard(nil) }
            if let inside = DefaultReader.forced(text)?.text {
                if kind == .decimal { return decimal(inside) }
                if kind == .string { return .standard(.string(inside)) }
            }
            if let numbers = Arithmetic(text), let standard = standard(numbers) { return .standard(standard) }
        default: break
        }
        return unknown(value)
    }

    private func unknown(_ value: ExpressionFact) -> Outcome {
        .unknown("its initial value \(value.text) is none that a plan can state")
    }

    private func standard(_ numbers: Arithmetic) -> Default? {
        switch kind {
        case .int: numbers.integer.map { .int($0) }
        case .double: numbers.double.map { .double($0) }
        default: nil
        }
    }

    private func number(_ value: Double?, _ text: String) -> Outcome {
        switch kind {
        case .int: IntegerText.value(text).map { .standard(.int($0)) } ?? unknown(.integer(text))
        case .double: value.map { .standard(.double($0)) } ?? unknown(.float(text))
        case .decimal: decimal(text)
        default: unknown(.integer(text))
        }
    }

    /// Returns exactly the default that a decimal attribute's initial value states. A fraction is returned as text if
    /// `Double` would print it differently.
    private func decimal(_ text: String) -> Outcome {
        if let whole = IntegerText.value(text) { return .standard(.int(whole)) }
        guard let number = Double(text) else { return unknown(.float(text)) }
        return .standard("\(number)" == text ? .double(number) : .string(text))
    }

    private func member(
        _ base: String?, _ name: String, isImplicit: Bool, in scope: Int, steps: Int
    ) -> Outcome {
        if name == "rawValue", let base, let raw = raw(base, in: scope, steps: steps) { return .standard(raw) }
        if name == "allCases", case .array(let element) = kind, let cases = type.enumeration?.allCases {
            let texts = cases.compactMap { DefaultReader.text($0, of: element) }
            if texts.count == cases.count { return .standard(.json("[\(texts.joined(separator: ","))]")) }
        }
        // The sources have at most an extension or an alias of a framework's type.
        let node = base.flatMap { index.lookup($0, from: scope) }.map { index.underlying($0) }
        if let node, [nil, .typealias].contains(index.nodes[node].declaration?.kind), let outcome = known(name) {
            return outcome
        }
        if let base, node == nil || isImplicit {
            return known(name) ?? unknown(.member(base: base, name: name, isImplicit: isImplicit))
        }
        if isImplicit, let standard = type.enumeration?.standard(name) { return .standard(standard) }
        if isImplicit, let outcome = known(name) { return outcome }
        // A case, or a constant of the sources.
        if let node {
            let found = index.nodes[node]
            if found.facts.flatMap(\.cases).contains(where: { $0.name == name }) {
                if let standard = type.enumeration?.standard(name) { return .standard(standard) }
            } else if let value = found.properties.first(where: { $0.name == name })?.value,
                steps < DefaultReader.constantsMax
            {
                return read(value, in: node, steps: steps + 1)
            }
        }
        return unknown(.member(base: base, name: name, isImplicit: isImplicit))
    }

    /// Returns the raw value of an enumeration's case; `nil` if there is no such case. `path` names the case, such as
    /// `Kind.home` for the expression `Kind.home.rawValue`, or a constant whose value is the case.
    private func raw(_ path: String, in scope: Int, steps: Int) -> Default? {
        let parts = path.split(separator: ".")
        guard parts.count > 1, steps < DefaultReader.constantsMax, let name = parts.last.map(String.init),
            let node = index.lookup(parts.dropLast().joined(separator: "."), from: scope)
        else { return nil }
        let found = index.nodes[node]
        if let standard = EnumerationReader(found).standard(name) {
            return standard.constant(for: kind) == nil ? nil : standard
        }
        guard case .member(let base, let other, _) = found.properties.first(where: { $0.name == name })?.value else {
            return nil
        }
        let type = base == nil || base == "Self" ? index.path(node) : base ?? ""
        return raw("\(type).\(other)", in: node, steps: steps + 1)
    }

    /// Returns the default for a constant of Apple's frameworks with this name, such as `zero`; `nil` if it is not
    /// known.
    private func known(_ name: String) -> Outcome? {
        switch (name, kind) {
        case ("now", .date): .standard(.creation)
        case ("distantPast", .date): .known("0001-01-01T00:00:00Z")
        case ("distantFuture", .date): .known("4001-01-01T00:00:00Z")
        case ("zero", .double): .standard(.double(0))
        case ("zero", .decimal), ("zero", .int): .standard(.int(0))
        case ("max", .int): .standard(.int(.max))
        case ("min", .int): .standard(.int(.min))
        case ("none", _) where type.isOptional: .standard(nil)
        default: nil
        }
    }

    /// Returns true if `function` is an initializer of a built-in value type, such as `Int` or `Date.init`. The result
    /// of any other function is unknown.
    private func isInitializer(_ function: String, in scope: Int) -> Bool {
        let name = function.hasSuffix(".init") ? String(function.dropLast(5)) : function
        if name.isEmpty || name.hasPrefix("[") { return true }
        let bare = String(name.prefix { $0 != "<" })
        if let node = index.lookup(bare, from: scope), let declaration = index.nodes[node].declaration {
            return declaration.kind == .typealias
        }
        return TypeReader.isValue(bare)
    }

    private func call(_ function: String, _ arguments: [ArgumentFact], in scope: Int) -> Outcome {
        let values = arguments.map(\.value)
        // A value wrapped in an optional is read like the value itself.
        if type.isOptional, values.count == 1, arguments[0].label == nil,
            function == ".some" || OptionalText.isMaker(function)
        {
            return read(values[0], in: scope)
        }
        guard isInitializer(function, in: scope) else {
            return unknown(.call(function: function, arguments: arguments))
        }
        switch (kind, values.count) {
        case (.date, 0): return .standard(.creation)
        case (.date, 1):
            if let moment = moment(arguments[0]) { return .known(.string(moment)) }
        case (.uuid, 0): return .standard(.newID)
        case (.data, 0): return .known("")
        case (.string, 0): return .standard(.string(""))
        case (.array, 0): return .standard(.json("[]"))
        case (.codable, 0):
            let isDictionary = function.hasPrefix("[") || function.hasPrefix("Dictionary")
            if case .codable(let name) = kind, isDictionary || function == ".init", type.enumeration == nil,
                isEmptyDictionary
            {
                return empty(.dictionary([]), name, in: scope)
            }
        case (.int, 0), (.decimal, 0): return .standard(.int(0))
        case (.double, 0): return .standard(.double(0))
        case (.bool, 0): return .standard(.bool(false))
        case (.int, 1), (.double, 1), (.decimal, 1), (.array, 1):
            if case .integer = values[0], arguments[0].label == nil { return read(values[0], in: SourceIndex.root) }
            if case .float = values[0], arguments[0].label == nil, kind != .int {
                return read(values[0], in: SourceIndex.root)
            }
            if case .array = values[0] { return read(values[0], in: SourceIndex.root) }
            if kind == .decimal, arguments[0].label == "string", case .string(let text) = values[0] {
                return decimal(text)
            }
        case (.array(let element), 2):
            guard arguments.map(\.label) == ["repeating", "count"], case .integer(let text) = values[1],
                let count = Int(text), (0...DefaultReader.repeatedMax).contains(count),
                let json = json(Array(repeating: values[0], count: count), of: element, in: scope)
            else { break }
            return .standard(.json(json))
        default: break
        }
        return unknown(.call(function: function, arguments: arguments))
    }

    /// Returns, as text, the date of an initializer such as `Date(timeIntervalSince1970: 0)`, whose argument is a
    /// number of seconds after a fixed date; `nil` for any other argument.
    private func moment(_ argument: ArgumentFact) -> String? {
        let starts: [String: Double] = ["timeIntervalSince1970": 0, "timeIntervalSinceReferenceDate": 978_307_200]
        let seconds: Double? =
            switch argument.value {
            case .integer(let text), .float(let text): Double(text)
            default: nil
            }
        guard let start = argument.label.flatMap({ starts[$0] }), let seconds else { return nil }
        let microseconds = ((start + seconds) * 1_000_000).rounded()
        guard let whole = Int64(exactly: microseconds) else { return nil }
        let moment = Timestamp(microseconds: whole)
        return Timestamp.wireRange.contains(moment) ? "\(moment)" : nil
    }

    /// Returns the name and the text of `Name(string: "…")!`, a usual form for decimals and URLs; `nil` for any other
    /// expression.
    static func forced(_ text: String) -> (type: String, text: String)? {
        guard text.hasSuffix("\")!"), let open = text.firstRange(of: "(string: \"") else { return nil }
        let type = text[..<open.lowerBound].split(separator: ".").last.map(String.init) ?? ""
        let inside = text[open.upperBound...].dropLast(3)
        guard ["Decimal", "URL"].contains(type), !inside.contains(where: { $0 == "\"" || $0 == "\\" }) else {
            return nil
        }
        return (type, String(inside))
    }

    /// Returns the default for an empty dictionary: the JSON `{}`, or `[]` if its keys cannot be names in a JSON
    /// object.
    private func empty(_ value: ExpressionFact, _ name: String, in scope: Int) -> Outcome {
        let json = CodedValue(index: index).json(value, as: TypeText.type(name), in: scope)
        // Existing plans state an empty dictionary as an object. Other forms are stated as the app decodes them.
        return json == "{}" ? .standard(.json("{}")) : json.map { .known(.json($0)) } ?? .standard(.json("{}"))
    }

    private var isEmptyDictionary: Bool {
        if case .codable(let name) = kind { name.hasPrefix("[") && name.contains(":") } else { false }
    }

    /// Returns a list of values as canonical JSON; `nil` if an element cannot be written in JSON.
    private func json(_ elements: [ExpressionFact], of kind: AttributeType.Kind, in scope: Int) -> String? {
        let texts = elements.compactMap { json($0, of: kind, in: scope) }
        return texts.count == elements.count ? "[\(texts.joined(separator: ","))]" : nil
    }

    private func json(_ elements: [ExpressionFact.DictionaryElement], in scope: Int) -> String? {
        var texts: [String: String] = [:]
        for element in elements {
            guard case .string(let key) = element.key, let text = json(element.value, of: nil, in: scope) else {
                return nil
            }
            texts[key] = text
        }
        let members = texts.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
        return "{\(members.map { "\(JSONWriter.text($0.key)):\($0.value)" }.joined(separator: ","))}"
    }

    private func json(_ element: ExpressionFact, of kind: AttributeType.Kind?, in scope: Int) -> String? {
        switch element {
        case .string(let text): return JSONWriter.text(text)
        case .integer(let text): return IntegerText.value(text).map { "\($0)" }
        case .bool(let value): return "\(value)"
        case .float(let text): return Double(text).map { value in JSONWriter.text { $0.double(value) } }
        case .array(let elements):
            guard case .array(let inner)? = kind else { return nil }
            return json(elements, of: inner, in: scope)
        case .member:
            guard let kind,
                case .standard(let standard?) = DefaultReader(index: index, type: type, kind: kind).read(
                    element, in: scope)
            else { return nil }
            return DefaultReader.text(standard, of: kind)
        default: return nil
        }
    }

    /// Returns the JSON of a case of an enumeration, as an element of a list. `standard` is the case's value. Returns
    /// `nil` if the value is no text, integer or Boolean.
    private static func text(_ standard: Default, of kind: AttributeType.Kind) -> String? {
        switch standard.constant(for: kind) {
        case .string(let text): JSONWriter.text(text)
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        default: nil
        }
    }
}

extension JSONWriter {
    fileprivate static func text(_ string: String) -> String { text { $0.string(string) } }
}

extension ExpressionFact {
    /// A short text of the expression, in quotation marks, for a message to the user.
    var text: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .integer(let text), .float(let text), .other(let text), .closure(let text): "‘\(text.prefix(60))’"
        case .bool(let value): "‘\(value)’"
        case .null: "‘nil’"
        case .array: "‘[…]’"
        case .dictionary: "‘[…: …]’"
        case .member(let base, let name, let isImplicit):
            "‘\(base ?? "")\(base != nil || isImplicit ? "." : "")\(name)’"
        case .call(let function, let arguments): "‘\(function)(\(arguments.isEmpty ? "" : "…"))’"
        case .keyPath(let path): "‘\\\(path)’"
        }
    }
}
