import SourceFacts
import WireFormats

/// Reads a property's initial value as the default that records get which do not state the attribute.
struct DefaultReader {
    enum Outcome {
        /// `nil`: none, or null.
        case standard(Default?)
        /// Why it is none that a plan can state.
        case unknown(String)
    }

    let index: SourceIndex
    let type: ReadType
    let kind: AttributeType.Kind

    /// A constant may be another one; so many steps are one that is itself.
    private static let constantsMax = 4

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
            guard case .array = kind else { break }
            guard let json = DefaultReader.json(elements) else { break }
            return .standard(.json(json))
        case .dictionary(let elements) where elements.isEmpty:
            guard case .codable = kind else { break }
            return .standard(.json("{}"))
        case .member(let base, let name, let isImplicit):
            return member(base, name, isImplicit: isImplicit, in: scope, steps: steps)
        case .call(let function, let arguments): return call(function, arguments)
        case .other(let text):
            if let inside = DefaultReader.forced(text)?.text {
                if kind == .decimal { return decimal(inside) }
                if kind == .string { return .standard(.string(inside)) }
            }
        default: break
        }
        return unknown(value)
    }

    private func unknown(_ value: ExpressionFact) -> Outcome {
        .unknown("its initial value \(value.text) is none that a plan can state")
    }

    private func number(_ value: Double?, _ text: String) -> Outcome {
        switch kind {
        case .int: IntegerText.value(text).map { .standard(.int($0)) } ?? unknown(.integer(text))
        case .double: value.map { .standard(.double($0)) } ?? unknown(.float(text))
        case .decimal: decimal(text)
        default: unknown(.integer(text))
        }
    }

    /// Exactly: a fraction whose shortest Double is another text goes in as text.
    private func decimal(_ text: String) -> Outcome {
        if let whole = IntegerText.value(text) { return .standard(.int(whole)) }
        guard let number = Double(text) else { return unknown(.float(text)) }
        return .standard("\(number)" == text ? .double(number) : .string(text))
    }

    private func member(
        _ base: String?, _ name: String, isImplicit: Bool, in scope: Int, steps: Int
    ) -> Outcome {
        if let base, index.lookup(base, from: scope) == nil || isImplicit {
            return known(name) ?? unknown(.member(base: base, name: name, isImplicit: isImplicit))
        }
        if isImplicit, let standard = type.enumeration?.standard(name) { return .standard(standard) }
        if isImplicit, let outcome = known(name) { return outcome }
        // A case, or a constant of the sources.
        if let base, let node = index.lookup(base, from: scope) {
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

    /// What frameworks have by these names.
    private func known(_ name: String) -> Outcome? {
        switch (name, kind) {
        case ("now", .date): .standard(.creation)
        case ("zero", .double): .standard(.double(0))
        case ("zero", .decimal), ("zero", .int): .standard(.int(0))
        case ("max", .int): .standard(.int(.max))
        case ("min", .int): .standard(.int(.min))
        case ("none", _) where type.isOptional: .standard(nil)
        default: nil
        }
    }

    private func call(_ function: String, _ arguments: [ArgumentFact]) -> Outcome {
        let values = arguments.map(\.value)
        switch (kind, values.count) {
        case (.date, 0): return .standard(.creation)
        case (.uuid, 0): return .standard(.newID)
        case (.string, 0): return .standard(.string(""))
        case (.array, 0): return .standard(.json("[]"))
        case (.codable, 0):
            let isDictionary = function.hasPrefix("[") || function.hasPrefix("Dictionary")
            if isDictionary || function == ".init", type.enumeration == nil, isEmptyDictionary {
                return .standard(.json("{}"))
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
        default: break
        }
        if kind == .data { return .unknown("a plan states no default of a Data") }
        return unknown(.call(function: function, arguments: arguments))
    }

    /// The text in `Name(string: "…")!`, as decimals and URLs have it.
    static func forced(_ text: String) -> (type: String, text: String)? {
        guard text.hasSuffix("\")!"), let open = text.firstRange(of: "(string: \"") else { return nil }
        let type = text[..<open.lowerBound].split(separator: ".").last.map(String.init) ?? ""
        let inside = text[open.upperBound...].dropLast(3)
        guard ["Decimal", "URL"].contains(type), !inside.contains(where: { $0 == "\"" || $0 == "\\" }) else {
            return nil
        }
        return (type, String(inside))
    }

    private var isEmptyDictionary: Bool {
        if case .codable(let name) = kind { name.hasPrefix("[") && name.contains(":") } else { false }
    }

    /// A list of plain values as canonical JSON.
    private static func json(_ elements: [ExpressionFact]) -> String? {
        var texts: [String] = []
        for element in elements {
            switch element {
            case .string(let text): texts.append(JSONWriter.text { $0.string(text) })
            case .integer(let text):
                guard let value = IntegerText.value(text) else { return nil }
                texts.append("\(value)")
            case .bool(let value): texts.append("\(value)")
            case .float(let text):
                guard let value = Double(text) else { return nil }
                texts.append(JSONWriter.text { $0.double(value) })
            default: return nil
            }
        }
        return "[\(texts.joined(separator: ","))]"
    }
}

extension ExpressionFact {
    /// As it is written, shortened.
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
