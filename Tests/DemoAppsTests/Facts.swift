@testable import WireFormats

/// The facts of a real app's models, read from its published source: names, types and rules of every version.
struct Facts: Decodable {
    let versions: [Version]
    let types: [Enumeration]

    struct Version: Decodable {
        let identifier: String
        /// The kind of the stage before this version, as the app declares it: `none`, `lightweight` or `custom`.
        let migration: String
        let entities: [Entity]
    }

    struct Entity: Decodable {
        let name: String
        let fields: [Field]
        let relationships: [Relationship]
    }

    struct Field: Decodable {
        let name: String
        let type: String
        let optional: Bool
        let `default`: Standard?
        /// True if no two records in the app's store may have the same value.
        let unique: Bool?
        /// The declared name in the version before.
        let originalName: String?
    }

    struct Relationship: Decodable {
        let name: String
        let target: String
        let toMany: Bool
        let optional: Bool
        let deleteRule: String
        let inverse: String?
    }

    struct Enumeration: Decodable {
        let name: String
        let cases: [String]
    }

    /// A default as written in the facts: a JSON value, or `<now>` or `<new UUID>`.
    enum Standard: Decodable {
        case bool(Bool)
        case number(Double)
        case string(String)
        case emptyArray

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let bool = try? value.decode(Bool.self) {
                self = .bool(bool)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else if let string = try? value.decode(String.self) {
                self = .string(string)
            } else {
                guard try value.decode([String].self).isEmpty else {
                    throw DecodingError.dataCorruptedError(in: value, debugDescription: "a default with elements")
                }
                self = .emptyArray
            }
        }
    }
}

// MARK: In sentences

/// Facts and schemas are compared as sets of sentences, so that a failed test prints a readable difference.
extension Facts {
    func sentences(of version: Version) -> Set<String> {
        var sentences: Set<String> = ["the stage to it is \(version.migration)"]
        for entity in version.entities {
            sentences.insert("\(entity.name) is synced")
            for field in entity.fields {
                let standard = field.default.map(\.words) ?? "nothing"
                let type = words(for: field.type) + (field.optional ? "?" : "")
                sentences.insert("\(entity.name).\(field.name) is a synced \(type), \(standard) by default")
                if let old = field.originalName { sentences.insert("\(entity.name).\(field.name) was \(old)") }
            }
            for relationship in entity.relationships {
                let count = relationship.toMany ? "many" : "one"
                sentences.insert(
                    "\(entity.name).\(relationship.name) is to \(count)\(relationship.optional ? "?" : "") "
                        + "\(relationship.target), inverse \(relationship.inverse ?? "none"), "
                        + "\(relationship.deleteRule)")
            }
        }
        return sentences
    }

    private func words(for type: String) -> String {
        if type.hasPrefix("codable:") { return String(type.dropFirst("codable:".count)) }
        guard type.hasPrefix("enum:") else { return type }
        let name = String(type.dropFirst("enum:".count))
        let cases = types.first { $0.name == name }?.cases ?? []
        return "\(name)(\(cases.joined(separator: " ")))"
    }
}

extension Facts.Standard {
    fileprivate var words: String {
        switch self {
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string("<now>"): "creation"
        case .string("<new UUID>"): "newID"
        case .string(let value): "‘\(value)’"
        case .emptyArray: "[]"
        }
    }
}

extension Schema {
    /// - Parameter stage: the kind of the stage before the version.
    func sentences(stage: String) -> Set<String> {
        var sentences: Set<String> = ["the stage to it is \(stage)"]
        for entity in entities {
            sentences.insert("\(entity.name) is \(entity.scope)")
            if entity.multiplicity == .singleton { sentences.insert("\(entity.name) is one for each space") }
            if let identity = entity.identity {
                sentences.insert("\(entity.name).\(identity) is a synced UUID, newID by default")
            }
            if let old = entity.originalName { sentences.insert("\(entity.name) was \(old)") }
            for attribute in entity.attributes {
                let standard = attribute.default.map(\.words) ?? "nothing"
                sentences.insert(
                    "\(entity.name).\(attribute.name) is a \(attribute.scope) \(attribute.type.words), "
                        + "\(standard) by default")
                if let old = attribute.originalName { sentences.insert("\(entity.name).\(attribute.name) was \(old)") }
            }
            for relationship in entity.relationships {
                let count = relationship.cardinality == .toMany ? "many" : "one"
                sentences.insert(
                    "\(entity.name).\(relationship.name) is to \(count)? \(relationship.target), "
                        + "inverse \(relationship.inverse ?? "none"), \(relationship.deleteRule)")
                if let old = relationship.originalName {
                    sentences.insert("\(entity.name).\(relationship.name) was \(old)")
                }
            }
        }
        return sentences
    }
}

extension AttributeType {
    fileprivate var words: String {
        let suffix = isOptional ? "?" : ""
        guard case .enumeration(let name, let cases) = kind else { return "\(kind)\(suffix)" }
        return "\(name)(\(cases.joined(separator: " ")))\(suffix)"
    }
}

extension Default {
    fileprivate var words: String {
        switch self {
        case .bool(let value): "\(value)"
        case .int(let value): "\(Double(value))"
        case .double(let value): "\(value)"
        case .string(let value): "‘\(value)’"
        case .json(let value): value
        case .creation: "creation"
        case .newID: "newID"
        case .attribute(let name): name
        }
    }
}

extension MigrationStage {
    /// The kind of the stage: `lightweight` or `custom`.
    var word: String {
        switch kind {
        case .lightweight: "lightweight"
        case .custom: "custom"
        }
    }
}
