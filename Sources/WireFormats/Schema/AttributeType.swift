/// The type of an attribute's value, and whether the value may be null.
///
/// Written as in a SwiftData model: `.string`, `.double.optional`, `.array(of: .string)`.
public struct AttributeType: Hashable, Sendable, Codable {
    package let kind: Kind
    package let isOptional: Bool

    /// The type without its optionality.
    package indirect enum Kind: Hashable, Sendable, Codable {
        case bool
        case int
        case double
        case decimal
        case string
        case date
        case uuid
        case data
        /// A string that is one of `cases`. The raw value of the case is sent.
        case enumeration(name: String, cases: [String])
        case array(Kind)
        /// A codable struct: any JSON value.
        case codable(name: String)
        /// The id of a record of the named entity: the type of a to-one relationship, which is declared with
        /// `Relationship`.
        case reference(entity: String)
    }

    init(_ kind: Kind, isOptional: Bool = false) {
        self.kind = kind
        self.isOptional = isOptional
    }

    /// The same type, with null allowed.
    public var optional: AttributeType { AttributeType(kind, isOptional: true) }

    /// True or false.
    public static let bool = AttributeType(.bool)
    /// A signed 64-bit integer.
    public static let int = AttributeType(.int)
    /// A finite IEEE 754 binary64 number.
    public static let double = AttributeType(.double)
    /// An exact decimal number of any scale.
    public static let decimal = AttributeType(.decimal)
    /// A text without U+0000, compared by its bytes.
    public static let string = AttributeType(.string)
    /// A point in time, to the microsecond.
    public static let date = AttributeType(.date)
    /// A UUID.
    public static let uuid = AttributeType(.uuid)
    /// A sequence of bytes. All values of a record together have at most 1 MiB.
    public static let data = AttributeType(.data)

    /// A text that is one of the given raw values.
    ///
    /// - Parameters:
    ///   - name: the name of the Swift type.
    ///   - cases: the raw values of the Swift type's cases, in declared order.
    public static func enumeration(_ name: String, _ cases: [String]) -> AttributeType {
        AttributeType(.enumeration(name: name, cases: cases))
    }

    /// A list of values of the type `element`. It is merged as one value, unless the attribute declares `merge:
    /// .union`.
    public static func array(of element: AttributeType) -> AttributeType {
        AttributeType(.array(element.kind))
    }

    /// A codable struct, as any JSON value. It is merged as one value.
    ///
    /// - Parameter name: the name of the Swift type.
    public static func codable(_ name: String) -> AttributeType {
        AttributeType(.codable(name: name))
    }

    static func reference(to entity: String) -> AttributeType {
        AttributeType(.reference(entity: entity), isOptional: true)
    }
}

extension AttributeType: CustomStringConvertible {
    /// The type as Swift writes it: `Double?`, `enum MealType`, `[String]`.
    public var description: String { kind.description + (isOptional ? "?" : "") }
}

extension AttributeType.Kind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .bool: "Bool"
        case .int: "Int"
        case .double: "Double"
        case .decimal: "Decimal"
        case .string: "String"
        case .date: "Date"
        case .uuid: "UUID"
        case .data: "Data"
        case .enumeration(let name, _): "enum \(name)"
        case .array(let element): "[\(element)]"
        case .codable(let name): name
        case .reference(let entity): "→\(entity)"
        }
    }
}

extension AttributeType {
    /// The value of an attribute that has no default and was never given a value: null, or the type's zero.
    package var unsaid: Value { isOptional ? .null : kind.zero }

    /// Returns true if an attribute of this type can have `value`.
    package func admits(_ value: Value) -> Bool {
        value.isNull ? isOptional : kind.admits(value) && value.isStorable
    }
}

extension Value {
    /// True if the value keeps the limits that all types share: a finite Double, no U+0000 in a text, a year of four
    /// digits.
    var isStorable: Bool {
        switch self {
        case .double(let x): x.isFinite
        case .string(let x), .json(let x): !x.utf8.contains(0)
        case .date(let x): (-62_135_596_800_000_000...253_402_300_799_999_999).contains(x.microseconds)
        case .null, .bool, .int, .decimal, .uuid, .data: true
        }
    }
}

extension AttributeType.Kind {
    /// Returns true if an attribute of this kind can have `value`. False for null.
    package func admits(_ value: Value) -> Bool {
        switch (self, value) {
        case (.bool, .bool), (.int, .int), (.double, .double), (.decimal, .decimal), (.string, .string), (.date, .date),
            (.uuid, .uuid), (.reference, .uuid), (.data, .data), (.array, .json), (.codable, .json):
            true
        case (.enumeration(_, let cases), .string(let raw)): cases.contains { $0.isIdentical(to: raw) }
        default: false
        }
    }

    /// The value of a required attribute that has no default and was never given a value.
    package var zero: Value {
        switch self {
        case .bool: .bool(false)
        case .int: .int(0)
        case .double: .double(0)
        case .decimal: .decimal(.zero)
        case .string: .string("")
        case .date: .date(Timestamp(microseconds: 0))
        case .uuid: .uuid(ID(high: 0, low: 0))
        case .data: .data([])
        case .enumeration(_, let cases): .string(cases.first ?? "")
        case .array: .json("[]")
        case .codable: .json("{}")
        case .reference: .null
        }
    }
}
