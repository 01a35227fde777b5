import StrictJSON

/// The value of one attribute, in memory. There is a case for each type that a schema can declare.
///
/// Equality is exact: strings compare by their UTF-8 bytes, not by canonical equivalence, because a client reads back
/// exactly what its version wrote.
public enum Value: Sendable {
    /// No value.
    case null
    /// True or false.
    case bool(Bool)
    /// A signed 64-bit integer.
    case int(Int64)
    /// A finite number. `-0.0` becomes `0.0` when it is read from the wire.
    case double(Double)
    /// An exact decimal number.
    case decimal(DecimalText)
    /// A text, or the raw value of an enumeration's case.
    case string(String)
    /// A point in time, to the microsecond.
    case date(Timestamp)
    /// A UUID, or a reference to a record whose id is a UUID.
    case uuid(ID)
    /// Bytes.
    case data([UInt8])
    /// An array or a codable struct: canonical JSON text (no insignificant white space, object keys in UTF-8 byte
    /// order).
    case json(String)

    /// True for `.null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Hashable {
    public static func == (a: Value, b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.double(let x), .double(let y)): x == y
        case (.decimal(let x), .decimal(let y)): x == y
        case (.string(let x), .string(let y)), (.json(let x), .json(let y)): x.isIdentical(to: y)
        case (.date(let x), .date(let y)): x == y
        case (.uuid(let x), .uuid(let y)): x == y
        case (.data(let x), .data(let y)): x == y
        case (.null, _), (.bool, _), (.int, _), (.double, _), (.decimal, _), (.string, _), (.date, _), (.uuid, _),
            (.data, _), (.json, _):
            false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let x): hasher.combine(x)
        case .int(let x): hasher.combine(x)
        case .double(let x): hasher.combine(x)
        case .decimal(let x): hasher.combine(x)
        // By its bytes, as it is compared. A String hashes a canonically equivalent form, which for a long run of
        // combining marks costs a thousand times as much.
        case .string(var x), .json(var x): x.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .date(let x): hasher.combine(x)
        case .uuid(let x): hasher.combine(x)
        case .data(let x): hasher.combine(x)
        }
    }
}

extension String {
    /// Returns true if the two strings have the same UTF-8 bytes. Swift's `==` is also true for canonically equivalent
    /// strings with different bytes.
    package func isIdentical(to other: String) -> Bool {
        withUTF8Span { a in
            other.withUTF8Span { b in
                guard a.count == b.count else { return false }
                for index in a.indices where a[index] != b[index] { return false }
                return true
            }
        }
    }
}
