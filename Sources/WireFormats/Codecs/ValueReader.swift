package import StrictJSON

/// Reads an attribute's value from its form on the wire. Every JSON value that a client sends becomes a `Value` here.
/// The forms are described in docs/protocol.md, *Values*.
package enum ValueReader {
    /// The reason why a JSON value is not a value of an attribute.
    package enum Failure: Error, Hashable, Sendable {
        /// The JSON value is not of the attribute's type. `expectation` tells the client what to send instead.
        case wrongType(expectation: String)
        /// The text contains U+0000, which PostgreSQL cannot store.
        case nulCharacter
    }

    /// Reads a value of `type`.
    ///
    /// - Throws: `Failure` if the JSON value is not of that type.
    package static func read(_ node: JSONNode, as type: AttributeType) throws(Failure) -> Value {
        var isRounded = false
        return try read(node, as: type, isRounded: &isRounded)
    }

    /// Reads a value of `type`.
    ///
    /// - Parameter isRounded: becomes true if the value was more precise than its type can store, and so was rounded.
    static func read(_ node: JSONNode, as type: AttributeType, isRounded: inout Bool) throws(Failure) -> Value {
        if node.isNull {
            if type.isOptional { return .null }
            throw .wrongType(expectation: "null is not among its values")
        }
        guard let value = try value(node, of: type.kind, &isRounded) else {
            throw .wrongType(expectation: expectation(type.kind))
        }
        return value
    }

    private static func value(
        _ node: JSONNode, of kind: AttributeType.Kind, _ isRounded: inout Bool
    ) throws(Failure) -> Value? {
        switch kind {
        case .bool: return node.bool.map(Value.bool)
        case .int: return node.int64.map(Value.int)
        case .double: return node.double.map(Value.double)
        case .decimal: return node.withUTF8({ DecimalText(utf8: $0) }).flatMap { $0 }.map(Value.decimal)
        case .date: return date(node, &isRounded)
        case .uuid, .reference: return node.id.map(Value.uuid)
        case .data: return node.withUTF8({ Base64.decode($0) }).flatMap { $0 }.map(Value.data)
        case .string:
            guard let text = node.string else { return nil }
            if node.containsNUL { throw .nulCharacter }
            return .string(text)
        case .enumeration:
            guard let raw = node.string, kind.admits(.string(raw)) else { return nil }
            return .string(raw)
        case .array(let element):
            guard let elements = node.elements else { return nil }
            // The text of the elements is kept, however precise they are.
            var isElementRounded = false
            for item in elements {
                guard try value(item, of: element, &isElementRounded) != nil else { return nil }
            }
            return .json(node.canonicalText())
        case .codable:
            if node.containsNUL { throw .nulCharacter }
            return .json(node.canonicalText())
        }
    }

    private static func date(_ node: JSONNode, _ isRounded: inout Bool) -> Value? {
        let parsed = node.withUTF8 { (text) -> Timestamp? in try? Timestamp(utf8: text, isRounded: &isRounded) }
        return parsed.flatMap { $0 }.map(Value.date)
    }

    /// A description of the values that a type of this kind accepts, for the error message to a client that sent
    /// something else.
    private static func expectation(_ kind: AttributeType.Kind) -> String {
        switch kind {
        case .bool: "send true or false"
        case .int: "send a JSON integer of 64 bits"
        case .double: "send a finite JSON number"
        case .decimal: "send a JSON string such as \"12.50\""
        case .string: "send a JSON string"
        case .date: "send an RFC 3339 date and time such as \"2026-01-31T08:00:00Z\""
        case .uuid, .reference: "send a UUID of 36 characters"
        case .data: "send base64 with padding"
        case .enumeration(_, let cases): "send one of \(cases.prefix(20).joined(separator: ", "))"
        case .array(let element): "send a JSON array of \(element)"
        case .codable: "send a JSON value"
        }
    }
}
