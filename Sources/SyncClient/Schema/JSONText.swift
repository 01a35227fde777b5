public import WireFormats

/// An attribute that is a codable struct, as its JSON. An app with the struct at hand may have the generated property
/// of that type instead, once it is a `CodableValue`.
public struct JSONText: Hashable, Sendable, Codable, AttributeValue, AttributeElement {
    /// Canonical: no white space, keys in the order of their bytes.
    public let text: String

    /// - Throws: `JSONError` for what is no JSON.
    public init(_ text: String) throws(JSONError) {
        self.text = try JSONDocument(parsing: text).root.canonicalText()
    }

    public static var attributeType: AttributeType { .codable("JSON") }

    public init(reading value: Value) throws(LensFailure) {
        guard case .json(let text) = value else { throw LensFailure("\(value.brief) is no JSON") }
        self.text = text
    }

    public var value: Value { .json(text) }
}
