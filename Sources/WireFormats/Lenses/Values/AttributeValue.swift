/// A Swift type for an attribute's value inside a conversion.
///
/// `Bool`, `Int`, `Double`, `DecimalText`, `String`, `Timestamp`, `ID`, `[UInt8]` and `Data` conform; so do arrays and
/// optionals of such types. An app's own enumeration conforms by declaration if its raw values are strings (`extension
/// Mood: AttributeValue {}`), and its own structs conform by `CodableValue`.
public protocol AttributeValue: Hashable, Sendable {
    static var attributeType: AttributeType { get }
    /// Reads a Swift value from `value`, which must be of `attributeType`.
    ///
    /// - Throws: `LensFailure` if `value` is not of `attributeType`.
    init(reading value: Value) throws(LensFailure)
    /// The attribute's value for this Swift value.
    ///
    /// - Throws: `LensFailure` if no attribute can have the value, for example if it contains a Double that is not
    ///   finite.
    var value: Value { get throws(LensFailure) }
}

extension Bool: AttributeValue {
    public static var attributeType: AttributeType { .bool }
    public init(reading value: Value) throws(LensFailure) {
        guard case .bool(let x) = value else {
            throw LensFailure("a conversion met \(value.brief) where a Bool belongs")
        }
        self = x
    }
    public var value: Value { .bool(self) }
}

extension Int: AttributeValue {
    public static var attributeType: AttributeType { .int }
    public init(reading value: Value) throws(LensFailure) {
        guard case .int(let x) = value else {
            throw LensFailure("a conversion met \(value.brief) where an Int belongs")
        }
        self = Int(x)
    }
    public var value: Value { .int(Int64(self)) }
}

extension Double: AttributeValue {
    public static var attributeType: AttributeType { .double }
    public init(reading value: Value) throws(LensFailure) {
        guard case .double(let x) = value else {
            throw LensFailure("a conversion met \(value.brief) where a Double belongs")
        }
        self = x
    }
    public var value: Value { .double(self) }
}

extension String: AttributeValue {
    public static var attributeType: AttributeType { .string }
    public init(reading value: Value) throws(LensFailure) {
        guard case .string(let x) = value else {
            throw LensFailure("a conversion met \(value.brief) where a String belongs")
        }
        self = x
    }
    public var value: Value { .string(self) }
}

extension DecimalText: AttributeValue {
    public static var attributeType: AttributeType { .decimal }
    public init(reading value: Value) throws(LensFailure) {
        guard case .decimal(let x) = value else {
            throw LensFailure("a conversion met \(value.brief) where a Decimal belongs")
        }
        self = x
    }
    public var value: Value { .decimal(self) }
}

extension Timestamp: AttributeValue {
    public static var attributeType: AttributeType { .date }
    public init(reading value: Value) throws(LensFailure) {
        guard case .date(let x) = value else {
            throw LensFailure("a conversion met \(value.brief) where a Date belongs")
        }
        self = x
    }
    public var value: Value { .date(self) }
}

extension ID: AttributeValue {
    public static var attributeType: AttributeType { .uuid }
    public init(reading value: Value) throws(LensFailure) {
        guard case .uuid(let x) = value else {
            throw LensFailure("a conversion met \(value.brief) where a UUID belongs")
        }
        self = x
    }
    public var value: Value { .uuid(self) }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    public static var attributeType: AttributeType { Wrapped.attributeType.optional }
    public init(reading value: Value) throws(LensFailure) {
        self = value.isNull ? nil : try Wrapped(reading: value)
    }
    public var value: Value {
        get throws(LensFailure) {
            switch self {
            case nil: .null
            case let wrapped?: try wrapped.value
            }
        }
    }
}

/// An enumeration whose raw values are strings, for an attribute that has exactly its cases.
extension AttributeValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// The attribute type with the Swift enumeration's name and cases, in the same order.
    public static var attributeType: AttributeType { .enumeration("\(Self.self)", allCases.map(\.rawValue)) }
    public init(reading value: Value) throws(LensFailure) {
        guard case .string(let raw) = value,
            let known = Self.allCases.first(where: { $0.rawValue.isIdentical(to: raw) })
        else { throw LensFailure("a conversion met \(value.brief) where a case of \(Self.self) belongs") }
        self = known
    }
    public var value: Value { .string(rawValue) }
}
