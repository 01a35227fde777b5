/// A Swift type that an attribute's value has inside a conversion.
public protocol AttributeValue: Hashable, Sendable {
    static var attributeType: AttributeType { get }
    /// The value in Swift; `value` is of `attributeType`.
    ///
    /// - Throws: where it is not.
    init(reading value: Value) throws(LensFailure)
    var value: Value { get }
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
    public var value: Value { self?.value ?? .null }
}
