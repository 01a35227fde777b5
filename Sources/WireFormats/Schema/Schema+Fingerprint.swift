extension Schema {
    /// The fingerprint: 64-bit FNV-1a over `canonicalLines`. It detects mistakes, not attacks: nothing trusts a client
    /// because it knows a fingerprint. Declaration order counts, historical names do not.
    var hashOfCanonicalLines: String {
        var hash = FNV1a()
        for line in canonicalLines {
            hash.combine(line.utf8)
            hash.combine("\n".utf8)
        }
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whether a text is written as fingerprints are: sixteen hexadecimal digits.
    package static func isFingerprint(_ text: String) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }

    /// The shape in text, one line for each entity, attribute and relationship: what the fingerprint covers.
    var canonicalLines: [String] {
        var lines = ["version \(version)"]
        for entity in entities {
            // Said only of singletons, so that what was published before there were any keeps its fingerprint.
            let multiplicity = entity.multiplicity == .many ? "" : " \(entity.multiplicity.rawValue)"
            // And only of ids that are texts.
            let identityType = entity.identityType == .uuid ? "" : " \(entity.identityType.rawValue)"
            lines.append(
                "entity \(entity.name) \(entity.scope.rawValue) identity=\(entity.identity ?? "-")\(identityType)"
                    + multiplicity)
            for attribute in entity.attributes {
                let standard = attribute.default?.canonical ?? "-"
                lines.append(
                    "attribute \(attribute.name) \(attribute.type.kind.canonical) "
                        + "optional=\(attribute.type.isOptional) default=\(standard) \(attribute.scope.rawValue)"
                        // Said only where it is stated, like the multiplicity.
                        + (attribute.unit.map { " unit=\(quotedText($0))" } ?? "")
                        + (attribute.isUnique ? " unique" : "")
                        + (attribute.merge == .latest ? "" : " merge=\(attribute.merge.rawValue)"))
            }
            for relationship in entity.relationships {
                lines.append(
                    "relationship \(relationship.name) \(relationship.cardinality.rawValue) \(relationship.target) "
                        + "\(relationship.deleteRule.rawValue) inverse=\(relationship.inverse ?? "-")")
            }
        }
        return lines
    }
}

extension AttributeType.Kind {
    /// `description` with the cases of an enumeration spelled out.
    fileprivate var canonical: String {
        switch self {
        case .enumeration(let name, let cases): "enum:\(name)(\(cases.map(quotedText).joined(separator: "|")))"
        case .array(let element): "[\(element.canonical)]"
        default: description
        }
    }
}

extension Default {
    /// Spelled out case by case: a fingerprint must not change because a toolchain prints an enumeration differently.
    fileprivate var canonical: String {
        switch self {
        case .bool(let value): "bool:\(value)"
        case .int(let value): "int:\(value)"
        case .double(let value): "double:\(value)"
        case .string(let value): "string:\(quotedText(value))"
        case .json(let value): "json:\(value)"
        case .creation: "creation"
        case .newID: "newID"
        case .attribute(let name): "attribute:\(quotedText(name))"
        }
    }
}

/// The text as a JSON string, so that no text can look like the punctuation around it.
private func quotedText(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
}
