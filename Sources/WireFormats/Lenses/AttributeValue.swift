/// A Swift type that an attribute's value has inside a conversion.
public protocol AttributeValue: Hashable, Sendable {
    static var attributeType: AttributeType { get }
    /// The value in Swift; `value` is of `attributeType`, or it is a bug of ours.
    init(reading value: Value)
    var value: Value { get }
}

extension Bool: AttributeValue {
    public static var attributeType: AttributeType { .bool }
    public init(reading value: Value) {
        guard case .bool(let x) = value else { preconditionFailure("a conversion met \(value) where a Bool belongs") }
        self = x
    }
    public var value: Value { .bool(self) }
}

extension Int: AttributeValue {
    public static var attributeType: AttributeType { .int }
    public init(reading value: Value) {
        guard case .int(let x) = value else { preconditionFailure("a conversion met \(value) where an Int belongs") }
        self = Int(x)
    }
    public var value: Value { .int(Int64(self)) }
}

extension Double: AttributeValue {
    public static var attributeType: AttributeType { .double }
    public init(reading value: Value) {
        guard case .double(let x) = value else {
            preconditionFailure("a conversion met \(value) where a Double belongs")
        }
        self = x
    }
    public var value: Value { .double(self) }
}

extension String: AttributeValue {
    public static var attributeType: AttributeType { .string }
    public init(reading value: Value) {
        guard case .string(let x) = value else {
            preconditionFailure("a conversion met \(value) where a String belongs")
        }
        self = x
    }
    public var value: Value { .string(self) }
}

extension DecimalText: AttributeValue {
    public static var attributeType: AttributeType { .decimal }
    public init(reading value: Value) {
        guard case .decimal(let x) = value else {
            preconditionFailure("a conversion met \(value) where a Decimal belongs")
        }
        self = x
    }
    public var value: Value { .decimal(self) }
}

extension Timestamp: AttributeValue {
    public static var attributeType: AttributeType { .date }
    public init(reading value: Value) {
        guard case .date(let x) = value else { preconditionFailure("a conversion met \(value) where a Date belongs") }
        self = x
    }
    public var value: Value { .date(self) }
}

extension ID: AttributeValue {
    public static var attributeType: AttributeType { .uuid }
    public init(reading value: Value) {
        guard case .uuid(let x) = value else { preconditionFailure("a conversion met \(value) where a UUID belongs") }
        self = x
    }
    public var value: Value { .uuid(self) }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    public static var attributeType: AttributeType { Wrapped.attributeType.optional }
    public init(reading value: Value) {
        self = value.isNull ? nil : Wrapped(reading: value)
    }
    public var value: Value { self?.value ?? .null }
}
