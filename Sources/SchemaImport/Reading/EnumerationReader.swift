import SourceFacts
import WireFormats

/// An enumeration of the app's sources, with the form in which its values are sent and stored.
struct EnumerationReader {
    enum Form {
        /// Texts: the raw value of each case, in declared order.
        case texts([(name: String, raw: String)])
        case integers([(name: String, raw: Int64)])
        case doubles
        /// JSON, as the `Codable` implementation of the enumeration writes it.
        case codable
        /// It is unknown how the values are stored. The text says why.
        case unknown(String)
    }

    let name: String
    let form: Form

    private static let integerTypes = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]

    /// Determines from an enumeration's declaration how its values are stored.
    ///
    /// - Parameter isCodable: true if the enumeration is `Codable`. Its values are then stored as JSON if it has no raw
    ///   values.
    init(_ node: SourceIndex.Node, isCodable: Bool = false) {
        name = node.name
        let inherited = node.inherited
        let cases = node.facts.flatMap(\.cases)
        func isRaw(_ names: [String]) -> Bool { inherited.contains { type in names.contains { type.isNamed($0) } } }
        if isRaw(["String", "Character"]) {
            form = EnumerationReader.texts(cases)
        } else if isRaw(EnumerationReader.integerTypes) {
            form = EnumerationReader.integers(cases)
        } else if isRaw(["Double", "Float", "CGFloat"]) {
            form = .doubles
        } else if isCodable {
            form = .codable
        } else {
            form = .unknown("neither has a raw type nor is ‘Codable’ as far as the sources say")
        }
    }

    private static func texts(_ cases: [CaseFact]) -> Form {
        var texts: [(name: String, raw: String)] = []
        for item in cases {
            switch item.rawValue {
            case nil: texts.append((item.name, item.name))
            case .string(let raw): texts.append((item.name, raw))
            default: return .unknown("has a raw value at \(item.location) that is no plain text")
            }
        }
        return texts.isEmpty ? .unknown("has no case") : .texts(texts)
    }

    private static func integers(_ cases: [CaseFact]) -> Form {
        var integers: [(name: String, raw: Int64)] = []
        var next: Int64 = 0
        for item in cases {
            switch item.rawValue {
            case nil: break
            case .integer(let text):
                guard let raw = IntegerText.value(text) else { return .unknown("has a raw value that is no Int") }
                next = raw
            default: return .unknown("has a raw value at \(item.location) that is no plain number")
            }
            integers.append((item.name, next))
            next &+= 1
        }
        return .integers(integers)
    }

    /// The values of all cases, as defaults; `nil` unless these values are texts or integers.
    var allCases: [Default]? {
        switch form {
        case .texts(let cases): cases.map { .string($0.raw) }
        case .integers(let cases): cases.map { .int($0.raw) }
        case .doubles, .codable, .unknown: nil
        }
    }

    /// The attribute kind of the enumeration's raw values; `nil` if it has none, or if they are unknown.
    var rawKind: AttributeType.Kind? {
        switch form {
        case .texts: .string
        case .integers: .int
        case .doubles: .double
        case .codable, .unknown: nil
        }
    }

    /// Returns the value of the case `name` as a default. Returns `nil` if there is no such case, or if the
    /// enumeration's values are neither texts nor integers.
    func standard(_ name: String) -> Default? {
        switch form {
        case .texts(let cases): cases.first { $0.name == name }.map { .string($0.raw) }
        case .integers(let cases): cases.first { $0.name == name }.map { .int($0.raw) }
        case .doubles, .codable, .unknown: nil
        }
    }
}

/// Parses integers as Swift's sources write them, such as `0xFF`.
enum IntegerText {
    static func value(_ text: String) -> Int64? {
        let isNegative = text.hasPrefix("-")
        let digits = isNegative ? String(text.dropFirst()) : text
        let radices = ["0x": 16, "0o": 8, "0b": 2]
        guard let radix = radices[String(digits.prefix(2))] else { return Int64(text) }
        return Int64((isNegative ? "-" : "") + digits.dropFirst(2), radix: radix)
    }
}
