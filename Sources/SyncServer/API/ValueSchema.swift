import StrictJSON
import SyncEngine
import WireFormats

/// The JSON Schemas of the values that attributes may have. They describe the values that `ValueReader` accepts (see
/// *Values* in docs/protocol.md).
///
/// Patterns use only what JSON Schema recommends of regular expressions (core, section 6.4), so that they mean the same
/// to every validator.
enum ValueSchema {
    /// Writes the definitions of basic types such as `Int` and `Decimal`, to which the schemas of attributes refer.
    static func writeDefinitions(to writer: inout JSONWriter) {
        writer.object("Bool") { $0.member("type", "boolean") }
        writer.object("Int") { writer in
            writer.member("type", "integer")
            writer.member("minimum", Int64.min)
            writer.member("maximum", Int64.max)
        }
        writer.object("Double") { writer in
            writer.member("type", "number")
            writer.key("minimum")
            writer.double(-Double.greatestFiniteMagnitude)
            writer.key("maximum")
            writer.double(Double.greatestFiniteMagnitude)
        }
        writer.object("Decimal") { writer in
            text(decimal, to: &writer)
            writer.member("maxLength", DecimalText.digitsMax)
        }
        writer.object("String") { text(withoutNUL, to: &$0) }
        writer.object("Date") { writer in
            writer.member("format", "date-time")
            text(date, to: &writer)
        }
        writer.object("UUID") { text(uuid, to: &$0) }
        // JSON Schema counts characters; each has at least one byte, so the limit in bytes is the limit in characters.
        writer.object("ID") { writer in
            text(#"^[^\u0000]+$"#, to: &writer)
            writer.member("maxLength", Schema.idSizeMaxBytes)
        }
        writer.object("Data") { writer in
            writer.member("contentEncoding", "base64")
            text(base64, to: &writer)
        }
        // Keywords apply only to values of their type, so this schema accepts all of JSON except texts with U+0000.
        writer.object("JSON") { writer in
            writer.member("pattern", withoutNUL)
            writer.object("items") { $0.reference("JSON") }
            writer.object("propertyNames") { $0.member("pattern", withoutNUL) }
            writer.object("additionalProperties") { $0.reference("JSON") }
        }
    }

    static func write(_ field: Projection.Field, to writer: inout JSONWriter) {
        let type = field.type
        switch type.kind {
        case .enumeration(_, let cases):
            writer.key("enum")
            writer.beginArray()
            for raw in cases { writer.string(raw) }
            if type.isOptional { writer.null() }
            writer.endArray()
        case .codable(let name):
            writer.member("title", name)
            writer.reference("JSON")
            if !type.isOptional { writer.member("type", ["boolean", "number", "string", "array", "object"]) }
        case .reference(let entity):
            writer.member("title", "The id of a \(entity)")
            orNull(to: &writer) { $0.reference(field.isTextReference ? "ID" : "UUID") }
        case .bool, .int, .double, .decimal, .string, .date, .uuid, .data, .array:
            if type.isOptional {
                orNull(to: &writer) { element(type.kind, to: &$0) }
            } else {
                element(type.kind, to: &writer)
            }
        }
    }

    static func orNull(to writer: inout JSONWriter, _ content: (inout JSONWriter) -> Void) {
        writer.key("anyOf")
        writer.beginArray()
        writer.beginObject()
        content(&writer)
        writer.endObject()
        writer.beginObject()
        writer.member("type", "null")
        writer.endObject()
        writer.endArray()
    }

    /// Writes the schema of an attribute's value that is not null, or of an element of an array. An array's element of
    /// a codable type may be null.
    private static func element(_ kind: AttributeType.Kind, to writer: inout JSONWriter) {
        switch kind {
        case .bool, .int, .double, .decimal, .string, .date, .uuid, .data: writer.reference(kind.description)
        case .reference: writer.reference("UUID")
        case .enumeration(_, let cases): writer.member("enum", cases)
        case .codable: writer.reference("JSON")
        case .array(let inner):
            writer.member("type", "array")
            writer.object("items") { element(inner, to: &$0) }
        }
    }

    private static func text(_ pattern: String, to writer: inout JSONWriter) {
        writer.member("type", "string")
        writer.member("pattern", pattern)
    }

    /// Returns a pattern that matches this id whatever the case of its letters.
    static func pattern(inAnyCase id: ID) -> String {
        "^" + id.description.map { $0.isLetter ? "[\($0)\($0.uppercased())]" : "\($0)" }.joined() + "$"
    }

    private static let withoutNUL = #"^[^\u0000]*$"#
    private static let uuid = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"

    /// The pattern of a decimal. If there is an exponent, it has at most two digits, and the parts before and after the
    /// point have at most 400 each. Otherwise the number could be too long when it is written without an exponent.
    private static let decimal =
        #"^[+-]?([0-9]+(\.[0-9]+)?|[0-9]{1,400}(\.[0-9]{1,400})?[eE][+-]?[0-9]{1,2})$"#

    /// The pattern of base64 text. The unused bits of the last character before the padding are zero.
    private static let base64 =
        "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"

    private static let date: String = {
        let year = "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
        let day =
            "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))"
        let clock = "([01][0-9]|2[0-3]):[0-5][0-9]"
        return "^\(year)-\(day)[Tt]\(clock):[0-5][0-9]"
            + #"(\.[0-9]{1,30})?([Zz]|[+-]"# + "\(clock))$"
    }()
}
