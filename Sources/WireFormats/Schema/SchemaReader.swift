import StrictJSON

/// Reads the JSON form of a schema, `Schema.json`.
enum SchemaReader {
    static func schema(_ node: JSONNode) throws(SchemaReadingError) -> Schema {
        guard let version = Schema.Version(try text("version", of: node)) else {
            throw SchemaReadingError("the version is not major.minor.patch")
        }
        let schema = Schema(version: version, entities: try list("entities", of: node, entity))
        let stated = try text("fingerprint", of: node)
        guard schema.fingerprint == stated else {
            throw SchemaReadingError("its fingerprint is \(schema.fingerprint), and it says \(stated)")
        }
        return schema
    }

    private static func entity(_ node: JSONNode) throws(SchemaReadingError) -> Schema.Entity {
        Schema.Entity(
            name: try text("name", of: node), originalName: node["originalName"]?.string,
            scope: try word("scope", of: node), multiplicity: try word("multiplicity", of: node),
            identity: node["identity"]?.string,
            identityType: node["identityType"] == nil ? .uuid : try word("identityType", of: node),
            attributes: try list("attributes", of: node, attribute),
            relationships: try list("relationships", of: node, relationship))
    }

    private static func attribute(_ node: JSONNode) throws(SchemaReadingError) -> Schema.Attribute {
        guard let kind = node["type"].flatMap({ kind($0) }) else {
            throw SchemaReadingError("‘\(try text("name", of: node))’ has no type that is known here")
        }
        var standard: Default?
        if let stated = node["default"] {
            standard = self.default(stated)
            guard standard != nil else {
                throw SchemaReadingError("‘\(try text("name", of: node))’ has no default that is known here")
            }
        }
        return Schema.Attribute(
            name: try text("name", of: node), originalName: node["originalName"]?.string,
            type: AttributeType(kind, isOptional: node["optional"]?.bool ?? false), default: standard,
            scope: node["scope"] == nil ? .synced : try word("scope", of: node), unit: node["unit"]?.string,
            isUnique: node["unique"]?.bool ?? false,
            merge: node["merge"] == nil ? .latest : try word("merge", of: node))
    }

    private static func relationship(_ node: JSONNode) throws(SchemaReadingError) -> Schema.Relationship {
        let cardinality: Schema.Cardinality = node["toOne"] == nil ? .toMany : .toOne
        return Schema.Relationship(
            name: try text("name", of: node), originalName: node["originalName"]?.string,
            target: try text(cardinality.rawValue, of: node), cardinality: cardinality,
            deleteRule: try word("deleteRule", of: node), inverse: node["inverse"]?.string)
    }

    private static let plainKinds: [String: AttributeType.Kind] = [
        "bool": .bool, "int": .int, "double": .double, "decimal": .decimal, "string": .string, "date": .date,
        "uuid": .uuid, "data": .data,
    ]

    private static func kind(_ node: JSONNode) -> AttributeType.Kind? {
        if let word = node.string { return plainKinds[word] }
        if let name = node["enumeration"]?.string, let cases = node["cases"]?.elements {
            return .enumeration(name: name, cases: cases.compactMap(\.string))
        }
        if let element = node["array"] { return kind(element).map { .array($0) } }
        if let name = node["codable"]?.string { return .codable(name: name) }
        return node["reference"]?.string.map { .reference(entity: $0) }
    }

    private static func `default`(_ node: JSONNode) -> Default? {
        if let word = node.string { return word == "creation" ? .creation : word == "newID" ? .newID : nil }
        if let value = node["bool"]?.bool { return .bool(value) }
        if let value = node["int"]?.int64 { return .int(value) }
        if let value = node["double"]?.double { return .double(value) }
        if let value = node["string"]?.string { return .string(value) }
        if let value = node["json"]?.string { return .json(value) }
        return node["attribute"]?.string.map { .attribute($0) }
    }

    private static func text(_ name: String, of node: JSONNode) throws(SchemaReadingError) -> String {
        guard let text = node[name]?.string else { throw SchemaReadingError("there is no text ‘\(name)’") }
        return text
    }

    private static func word<Word: RawRepresentable<String>>(
        _ name: String, of node: JSONNode
    ) throws(SchemaReadingError) -> Word {
        let text = try text(name, of: node)
        guard let word = Word(rawValue: text) else { throw SchemaReadingError("‘\(text)’ is no \(name)") }
        return word
    }

    private static func list<Item>(
        _ name: String, of node: JSONNode, _ read: (JSONNode) throws(SchemaReadingError) -> Item
    ) throws(SchemaReadingError) -> [Item] {
        guard let elements = node[name]?.elements else { throw SchemaReadingError("there is no list ‘\(name)’") }
        var items: [Item] = []
        for element in elements { items.append(try read(element)) }
        return items
    }
}

extension Schema {
    /// Reads a schema from the text that `json` writes.
    ///
    /// - Throws: `SchemaReadingError` if the text is not such a schema, or if the fingerprint in it is not that of its
    ///   contents.
    package init(json: String) throws(SchemaReadingError) {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: json)
        } catch {
            throw SchemaReadingError("it is not JSON: \(error)")
        }
        self = try SchemaReader.schema(document.root)
    }
}

/// The reason why a text is not a schema.
package struct SchemaReadingError: Error, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
