extension Schema {
    /// Tells two shapes under one version number apart: 16 hexadecimal digits over everything that a client can notice.
    ///
    /// 64-bit FNV-1a over `canonicalLines`. It detects mistakes, not attacks: nothing trusts a client because it knows
    /// a fingerprint. Declaration order counts, historical names do not.
    public var fingerprint: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for line in canonicalLines {
            for byte in line.utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
            hash = (hash ^ 0x0a) &* 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The shape in text, one line for each entity, attribute and relationship: what the fingerprint covers.
    var canonicalLines: [String] {
        var lines = ["version \(version)"]
        for entity in entities {
            lines.append("entity \(entity.name) \(entity.scope.rawValue) identity=\(entity.identity ?? "-")")
            for attribute in entity.attributes {
                let standard = attribute.default.map { "\($0)" } ?? "-"
                lines.append(
                    "attribute \(attribute.name) \(attribute.type.kind.canonical) "
                        + "optional=\(attribute.type.isOptional) default=\(standard) \(attribute.scope.rawValue)")
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
        case .enumeration(let name, let cases): "enum:\(name)(\(cases.joined(separator: "|")))"
        case .array(let element): "[\(element.canonical)]"
        default: description
        }
    }
}
