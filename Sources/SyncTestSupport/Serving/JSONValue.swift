package import StrictJSON
package import WireFormats

/// A JSON value in memory, for tests. It can be written as a literal, and two of them are compared by content.
///
/// A whole number is an `int`, also if it was written with a fraction, because `1` and `1.0` are the same value in the
/// protocol.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(number: Double) {
        self = Int64(exactly: number).map(JSONValue.int) ?? .double(number)
    }

    package init(_ node: JSONNode) {
        switch node.kind {
        case .null: self = .null
        case .bool: self = .bool(node.bool == true)
        case .int: self = .int(node.int64 ?? 0)
        case .uint, .double: self = JSONValue(number: node.double ?? 0)
        case .string: self = .string(node.string ?? "")
        case .array: self = .array((node.elements.map(Array.init) ?? []).map { JSONValue($0) })
        case .object:
            let members = node.members.map(Array.init) ?? []
            self = .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key, JSONValue($0.value)) }))
        }
    }

    /// Parses JSON.
    ///
    /// - Throws: `JSONError` if `bytes` are not valid JSON.
    package init(parsing bytes: [UInt8]) throws {
        self.init(try JSONDocument(parsing: bytes).root)
    }

    /// Makes the JSON that stands for an attribute's value in requests and responses.
    package init(_ value: WireFormats.Value) {
        switch value {
        case .null: self = .null
        case .bool(let x): self = .bool(x)
        case .int(let x): self = .int(x)
        case .double(let x): self = JSONValue(number: x)
        case .decimal(let x): self = .string(x.text)
        case .string(let x): self = .string(x)
        case .date(let x): self = .string(x.description)
        case .uuid(let x): self = .string(x.description)
        case .data(let x): self = .string(Base64.encode(x))
        case .json(let x): self = (try? JSONValue(parsing: Array(x.utf8))) ?? .null
        }
    }

    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let x): writer.bool(x)
        case .int(let x): writer.int(x)
        case .double(let x): writer.double(x)
        case .string(let x): writer.string(x)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(name)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as JSON text in UTF-8. The members of an object are sorted by name.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }
}

extension JSONValue {
    package var string: String? { if case .string(let x) = self { x } else { nil } }
    package var int: Int64? { if case .int(let x) = self { x } else { nil } }
    package var bool: Bool? { if case .bool(let x) = self { x } else { nil } }
    package var elements: [JSONValue] { if case .array(let x) = self { x } else { [] } }
    package var members: [String: JSONValue] { if case .object(let x) = self { x } else { [:] } }
    package var isNull: Bool { self == .null }

    /// The member of an object with this name; null if there is none, or if the value is not an object.
    package subscript(name: String) -> JSONValue { members[name] ?? .null }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(floatLiteral value: Double) { self = JSONValue(number: value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(uniqueKeysWithValues: members))
    }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
