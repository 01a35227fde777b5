import StrictJSON

extension Schema {
    /// The schema as canonical JSON: equal schemas have equal bytes. Each member of an entity has a line of its own, so
    /// that a comparison by lines shows what changed. `init(json:)` reads the text back.
    package var json: String {
        let head = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("version", "\(version)")
            writer.member("fingerprint", fingerprint)
            writer.endObject()
        }
        return head.dropLast() + ",\"entities\":[\n" + entities.map(\.jsonLines).joined(separator: ",\n") + "\n]}\n"
    }
}

extension Schema.Entity {
    fileprivate var jsonLines: String {
        let head = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("name", name)
            writer.member("originalName", originalName)
            writer.member("scope", scope.rawValue)
            writer.member("multiplicity", multiplicity.rawValue)
            writer.member("identity", identity)
            if identityType != .uuid { writer.member("identityType", identityType.rawValue) }
            writer.endObject()
        }
        return " " + head.dropLast() + ",\"attributes\":[" + Self.lines(attributes.map(\.jsonText))
            + "],\"relationships\":[" + Self.lines(relationships.map(\.jsonText)) + "]}"
    }

    private static func lines(_ texts: [String]) -> String {
        texts.isEmpty ? "" : texts.map { "\n  " + $0 }.joined(separator: ",") + "\n "
    }
}

extension Schema.Attribute {
    fileprivate var jsonText: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("name", name)
            writer.member("originalName", originalName)
            writer.key("type")
            type.kind.write(to: &writer)
            if type.isOptional {
                writer.key("optional")
                writer.bool(true)
            }
            if let standard = self.default {
                writer.key("default")
                standard.write(to: &writer)
            }
            if scope != .synced { writer.member("scope", scope.rawValue) }
            writer.member("unit", unit)
            if isUnique {
                writer.key("unique")
                writer.bool(true)
            }
            if merge != .latest { writer.member("merge", merge.rawValue) }
            writer.endObject()
        }
    }
}

extension Schema.Relationship {
    fileprivate var jsonText: String {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("name", name)
            writer.member("originalName", originalName)
            writer.member(cardinality.rawValue, target)
            writer.member("deleteRule", deleteRule.rawValue)
            writer.member("inverse", inverse)
            writer.endObject()
        }
    }
}

extension AttributeType.Kind {
    /// Writes the type as JSON: a string such as `"int"`, or an object such as `{"array":"int"}` for a type that has
    /// parts.
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .bool: writer.string("bool")
        case .int: writer.string("int")
        case .double: writer.string("double")
        case .decimal: writer.string("decimal")
        case .string: writer.string("string")
        case .date: writer.string("date")
        case .uuid: writer.string("uuid")
        case .data: writer.string("data")
        case .enumeration(let name, let cases):
            writer.beginObject()
            writer.member("enumeration", name)
            writer.key("cases")
            writer.beginArray()
            for item in cases { writer.string(item) }
            writer.endArray()
            writer.endObject()
        case .array(let element):
            writer.beginObject()
            writer.key("array")
            element.write(to: &writer)
            writer.endObject()
        case .codable(let name):
            writer.beginObject()
            writer.member("codable", name)
            writer.endObject()
        case .reference(let entity):
            writer.beginObject()
            writer.member("reference", entity)
            writer.endObject()
        }
    }
}

extension Default {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .creation: return writer.string("creation")
        case .newID: return writer.string("newID")
        case .bool, .int, .double, .string, .json, .attribute: writer.beginObject()
        }
        switch self {
        case .bool(let value):
            writer.key("bool")
            writer.bool(value)
        case .int(let value):
            writer.key("int")
            writer.int(value)
        case .double(let value):
            writer.key("double")
            writer.double(value)
        case .string(let value): writer.member("string", value)
        case .json(let value): writer.member("json", value)
        case .attribute(let name): writer.member("attribute", name)
        case .creation, .newID: break
        }
        writer.endObject()
    }
}
