import StrictJSON
public import WireFormats

/// The value of an attribute whose type is a codable struct, as JSON text. Generated structs have properties of this
/// type. An app may replace the type by its own struct if the struct conforms to `CodableValue`.
public struct JSONText: Hashable, Sendable, Codable, AttributeValue, AttributeElement {
    /// The JSON in canonical form: no white space, keys in the order of their bytes.
    public let text: String

    /// Parses `text`, and stores it in canonical form.
    ///
    /// - Throws: an error, if `text` is not JSON. Its description names the fault and the offset of the faulty byte.
    public init(_ text: String) throws {
        self.text = try JSONDocument(parsing: text).root.canonicalText()
    }

    public static var attributeType: AttributeType { .codable("JSON") }

    public init(reading value: Value) throws(LensFailure) {
        guard case .json(let text) = value else { throw LensFailure("\(value.brief) is no JSON") }
        self.text = text
    }

    public var value: Value { .json(text) }
}
