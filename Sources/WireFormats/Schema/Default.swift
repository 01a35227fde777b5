/// What an attribute holds when a record is created without it.
///
/// Written as a literal (`default: "pending"`, `default: 0`, `default: []`), or as one of the two that depend on the
/// record.
public enum Default: Hashable, Sendable, Codable {
    case bool(Bool)
    case int(Int64)
    case double(Double)
    /// A text; a moment as RFC 3339 has it, in a date; base64, in bytes.
    case string(String)
    /// Canonical JSON text, for arrays and codable structs.
    case json(String)
    /// The moment of the record's creation (`= .now` in a model): the wall time of the creating change's stamp.
    case creation
    /// A UUID made for the record (`= UUID()` in a model). Derived from the record's id, so that every run agrees.
    case newID
    /// The value that another attribute of the same record has. Only for what an older version reads after a removal.
    case attribute(String)
}

extension Default: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Only the empty array: a default with elements is written as `.json("[…]")`.
    public init(arrayLiteral elements: Never...) { self = .json("[]") }
}

extension Default {
    /// The constant that this default is in an attribute of `kind`; `nil` when it depends on the record, or does not
    /// fit.
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

    /// Whether an attribute of `kind` can have this default. No attribute can have another one's value: which of the
    /// two is known first depends on the version, so only a `Substitute` says so.
    func fits(_ kind: AttributeType.Kind) -> Bool {
        switch (self, kind) {
        case (.creation, .date), (.newID, .uuid): true
        default: constant(for: kind) != nil
        }
    }
}
