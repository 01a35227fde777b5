import StrictJSON

/// A Swift type that can be the element of an array in a conversion.
///
/// For a type that conforms to `AttributeValue`, the declaration is enough: `extension Mood: AttributeElement {}`.
/// Optionals do not conform, because an array's elements are never null.
public protocol AttributeElement: Hashable, Sendable {
    /// The type of an attribute whose value is an array of this type.
    static var arrayType: AttributeType { get }
    /// Reads a Swift array from `value`, which must be of `arrayType`.
    ///
    /// - Throws: `LensFailure` if `value` is not of `arrayType`.
    static func array(reading value: Value) throws(LensFailure) -> [Self]
    /// Makes an attribute's value of a Swift array.
    ///
    /// - Throws: `LensFailure` if no attribute can have one of the elements.
    static func value(of array: [Self]) throws(LensFailure) -> Value
}

extension AttributeElement where Self: AttributeValue {
    public static var arrayType: AttributeType { .array(of: attributeType) }

    /// Returns the elements of a JSON array.
    ///
    /// - Throws: `LensFailure` if `value` is not JSON, or if an element is of another type.
    public static func array(reading value: Value) throws(LensFailure) -> [Self] {
        guard case .json(let text) = value, let elements = (try? JSONDocument(parsing: text))?.root.elements else {
            throw LensFailure("a conversion met \(value.brief) where an array of \(attributeType) belongs")
        }
        var array: [Self] = []
        array.reserveCapacity(elements.count)
        for element in elements {
            let read: Value
            do throws(ValueReader.Failure) {
                read = try ValueReader.read(element, as: attributeType)
            } catch {
                throw LensFailure("a conversion met \(value.brief) where an array of \(attributeType) belongs")
            }
            array.append(try Self(reading: read))
        }
        return array
    }

    /// Returns the elements as a JSON array.
    ///
    /// - Throws: `LensFailure` if no attribute can have one of the elements.
    public static func value(of array: [Self]) throws(LensFailure) -> Value {
        var writer = JSONWriter()
        writer.beginArray()
        for element in array {
            let value = try element.value
            guard attributeType.admits(value) else {
                throw LensFailure("a conversion made an array with \(value.brief), which is no \(attributeType)")
            }
            writer.value(value)
        }
        writer.endArray()
        return .json(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension Bool: AttributeElement {}
extension Int: AttributeElement {}
extension Double: AttributeElement {}
extension String: AttributeElement {}
extension DecimalText: AttributeElement {}
extension Timestamp: AttributeElement {}
extension ID: AttributeElement {}

/// `UInt8`, whose arrays are the values of `.data` attributes.
extension UInt8: AttributeElement {
    public static var arrayType: AttributeType { .data }

    /// Returns the bytes of a `.data` value.
    ///
    /// - Throws: `LensFailure` if `value` is of another type.
    public static func array(reading value: Value) throws(LensFailure) -> [UInt8] {
        guard case .data(let bytes) = value else {
            throw LensFailure("a conversion met \(value.brief) where Data belongs")
        }
        return bytes
    }

    /// Returns a `.data` value of the bytes.
    public static func value(of array: [UInt8]) -> Value { .data(array) }
}

extension Array: AttributeValue where Element: AttributeElement {
    public static var attributeType: AttributeType { Element.arrayType }
    public init(reading value: Value) throws(LensFailure) { self = try Element.array(reading: value) }
    public var value: Value { get throws(LensFailure) { try Element.value(of: self) } }
}

extension Array: AttributeElement where Element: AttributeElement {}
