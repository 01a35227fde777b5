/// The value of an attribute in a record that is created without one.
///
/// Written as a literal (`default: "pending"`, `default: 0`, `default: []`), or as one of the two cases that
/// depend on the record, `.creation` and `.newID`.
///
/// ```swift
/// Attribute("state", .string, default: "pending")
/// Attribute("addedAt", .date, default: .creation)
/// Attribute("limits", .codable("Limits"), default: .json(#"{"max":9}"#))
/// ```
public enum Default: Hashable, Sendable, Codable {
    /// True or false.
    case bool(Bool)
    /// A whole number, for attributes of type `.int`, `.double` or `.decimal`.
    case int(Int64)
    /// A finite number, for attributes of type `.double` or `.decimal`.
    case double(Double)
    /// A text. For a date it is an RFC 3339 timestamp, for `.data` it is base64.
    case string(String)
    /// Canonical JSON text, for arrays and codable structs.
    case json(String)
    /// The time at which the record was created (`= .now` in a model), from the stamp of the change that created it.
    case creation
    /// A UUID for the record's attribute (`= UUID()` in a model). It is derived from the record's id, so that every
    /// computation gives the same UUID.
    case newID
    /// The value of another attribute of the same record. Allowed only in a `Substitute`, for older versions that still
    /// have an attribute that newer versions have removed.
    case attribute(String)
}

extension Default: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// The empty array. A default with elements is written as `.json("[…]")`.
    public init(arrayLiteral elements: Never...) { self = .json("[]") }
}

extension Default {
    /// The constant value of this default in an attribute of `kind`. `nil` if the default depends on the record, or
    /// does not fit the kind.
    package func constant(for kind: AttributeType.Kind) -> Value? {
        switch (self, kind) {
        case (.bool(let x), .bool): .bool(x)
        case (.int(let x), .int): .int(x)
        case (.int(let x), .double): .double(Double(x))
        case (.int(let x), .decimal): DecimalText(String(x)).map(Value.decimal)
        case (.double(let x), .double) where x.isFinite: .double(x + 0)
        case (.double(let x), .decimal): DecimalText("\(x)").map(Value.decimal)
        case (.string(let x), .string) where !x.utf8.contains(0): .string(x)
        case (.string(let x), .decimal): DecimalText(x).map(Value.decimal)
        case (.string(let x), .enumeration(_, let cases)) where cases.contains { $0.utf8.elementsEqual(x.utf8) }:
            .string(x)
        case (.string(let x), .date): (try? Timestamp(x)).map { .date($0) }
        case (.string(let x), .data): Base64.decode(x).map { .data($0) }
        case (.json(let x), .array), (.json(let x), .codable): .json(x)
        default: nil
        }
    }

    /// Returns true if an attribute of `kind` can be declared with this default. Always false for `.attribute`, which
    /// only a `Substitute` may use.
    func fits(_ kind: AttributeType.Kind) -> Bool {
        switch (self, kind) {
        case (.creation, .date), (.newID, .uuid): true
        default: constant(for: kind) != nil
        }
    }
}
