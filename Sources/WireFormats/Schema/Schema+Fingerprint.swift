import StrictJSON

extension Schema {
    /// The fingerprint of the schema: the 64-bit FNV-1a hash of `canonicalLines`. It depends on the order of
    /// declaration, but not on names in earlier versions. It detects mistakes, not attacks: to know a fingerprint gives
    /// a client no rights.
    var hashOfCanonicalLines: String {
        var hash = FNV1a()
        for line in canonicalLines {
            hash.combine(line.utf8)
            hash.combine("\n".utf8)
        }
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns true if a text has the form of a fingerprint: sixteen hexadecimal digits in lower case.
    package static func isFingerprint(_ text: String) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }

    /// The text from which the fingerprint is computed: one line for each entity, attribute and relationship.
    var canonicalLines: [String] {
        var lines = ["version \(version)"]
        for entity in entities {
            // Written only for singletons, so that versions published before there were singletons keep their
            // fingerprint.
            let multiplicity = entity.multiplicity == .many ? "" : " \(entity.multiplicity.rawValue)"
            // Likewise written only for ids that are texts.
            let identityType = entity.identityType == .uuid ? "" : " \(entity.identityType.rawValue)"
            lines.append(
                "entity \(entity.name) \(entity.scope.rawValue) identity=\(entity.identity ?? "-")\(identityType)"
                    + multiplicity)
            for attribute in entity.attributes {
                let standard = attribute.default?.canonical ?? "-"
                lines.append(
                    "attribute \(attribute.name) \(attribute.type.kind.canonical) "
                        + "optional=\(attribute.type.isOptional) default=\(standard) \(attribute.scope.rawValue)"
                        // Written only where the unit is stated, like the multiplicity.
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
    /// The type as text for the fingerprint. An enumeration is written with its cases, which `description` leaves out.
    fileprivate var canonical: String {
        switch self {
        case .enumeration(let name, let cases): "enum:\(name)(\(cases.map(quotedText).joined(separator: "|")))"
        case .array(let element): "[\(element.canonical)]"
        default: description
        }
    }
}

extension Default {
    /// The default as text. Each case is written out here, because the fingerprint must not change if a compiler prints
    /// an enumeration differently.
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

/// The text as a JSON string, so that its quotes show where it ends within a line.
private func quotedText(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.bytes, as: UTF8.self)
}
