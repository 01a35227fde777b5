/// One published version of an app's models, as a value: what its clients send and read.
///
/// History never depends on a living Swift type: a `VersionedSchema` declares a schema, and from then on only this
/// value is used. Two schemas with the same fingerprint speak the same wire format.
public struct Schema: Hashable, Sendable, Codable {
    public let version: Version
    /// In declared order; inherited ones first, in the order of the version they came from.
    public let entities: [Entity]
    /// Tells two shapes under one version number apart: 16 hexadecimal digits over everything that a client can notice.
    /// Worked out once, because every request asks for it.
    public private(set) var fingerprint = ""

    private enum CodingKeys: CodingKey {
        case version
        case entities
    }

    public init(version: Version, entities: [Entity]) {
        self.version = version
        self.entities = entities
        fingerprint = hashOfCanonicalLines
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.decode(Version.self, forKey: .version),
            entities: try container.decode([Entity].self, forKey: .entities))
    }

    /// The longest name, in bytes of UTF-8, that a sender may use for an entity, an attribute or a version: far above
    /// any identifier that people write, and so short that looking it up costs nothing.
    public static let nameSizeMaxBytes = 256

    /// The longest id that is a text, in bytes of UTF-8: longer than most addresses, and so short that a page of
    /// records stays a page.
    public static let idSizeMaxBytes = 512

    public func entity(_ name: String) -> Entity? {
        entities.first { $0.name == name }
    }

    /// Where something lives: on the server and on every device, or on one device only.
    public enum Scope: String, Hashable, Sendable, Codable {
        case synced
        /// Never crosses the wire: outboxes, tokens, facts about one device.
        case local
    }

    /// What the ids of an entity's records are.
    public enum IdentityType: String, Hashable, Sendable, Codable {
        case uuid
        /// Any text of 1 to `Schema.idSizeMaxBytes` bytes of UTF-8 without U+0000: a slug, a server's key. Two are the
        /// same if their bytes are.
        case string
    }

    /// How many records of an entity a space has.
    public enum Multiplicity: String, Hashable, Sendable, Codable {
        case many
        /// One, which all devices share, as settings are. `HubEntity.singleton` is its id.
        case singleton
    }

    /// A kind of record, under the name that this version has for it.
    public struct Entity: Hashable, Sendable, Codable {
        public let name: String
        /// The entity's name in the version before, where it differs.
        public let originalName: String?
        public let scope: Scope
        public let multiplicity: Multiplicity
        /// The attribute that holds the record's id, where the model has one. It travels as the change's `id`.
        public let identity: String?
        /// What ids are; `.uuid` also where the model has no attribute for them.
        public let identityType: IdentityType
        public let attributes: [Attribute]
        public let relationships: [Relationship]

        package init(
            name: String, originalName: String? = nil, scope: Scope = .synced, multiplicity: Multiplicity = .many,
            identity: String?, identityType: IdentityType = .uuid, attributes: [Attribute],
            relationships: [Relationship]
        ) {
            self.name = name
            self.originalName = originalName
            self.scope = scope
            self.multiplicity = multiplicity
            self.identity = identity
            self.identityType = identityType
            self.attributes = attributes
            self.relationships = relationships
        }

        /// Of what was encoded before ids could be texts, they are UUIDs.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                name: try container.decode(String.self, forKey: .name),
                originalName: try container.decodeIfPresent(String.self, forKey: .originalName),
                scope: try container.decode(Scope.self, forKey: .scope),
                multiplicity: try container.decode(Multiplicity.self, forKey: .multiplicity),
                identity: try container.decodeIfPresent(String.self, forKey: .identity),
                identityType: try container.decodeIfPresent(IdentityType.self, forKey: .identityType) ?? .uuid,
                attributes: try container.decode([Attribute].self, forKey: .attributes),
                relationships: try container.decode([Relationship].self, forKey: .relationships))
        }
    }

    /// A stored property of an entity.
    public struct Attribute: Hashable, Sendable, Codable {
        public let name: String
        public let originalName: String?
        public let type: AttributeType
        public let `default`: Default?
        public let scope: Scope
        /// What a number counts, such as `minutes since midnight`; `nil` where the declaration does not say.
        public let unit: String?
        /// Whether no two living records of a space may hold the same value. Null is no value.
        public let isUnique: Bool
        /// Which of several edits stands.
        public let merge: MergePolicy

        public init(
            name: String, originalName: String?, type: AttributeType, default: Default?, scope: Scope,
            unit: String? = nil, isUnique: Bool = false, merge: MergePolicy = .latest
        ) {
            self.name = name
            self.originalName = originalName
            self.type = type
            self.default = `default`
            self.scope = scope
            self.unit = unit
            self.isUnique = isUnique
            self.merge = merge
        }

        /// What an attribute's declaration may ask for besides its type, as SwiftData's `Schema.Attribute.Option`.
        public enum Option: Hashable, Sendable {
            case unique
        }
    }

    /// A property that leads to records of another entity; only to-one relationships are stored and travel.
    public struct Relationship: Hashable, Sendable, Codable {
        public let name: String
        public let originalName: String?
        public let target: String
        public let cardinality: Cardinality
        public let deleteRule: DeleteRule
        public let inverse: String?

        package init(
            name: String, originalName: String? = nil, target: String, cardinality: Cardinality,
            deleteRule: DeleteRule, inverse: String?
        ) {
            self.name = name
            self.originalName = originalName
            self.target = target
            self.cardinality = cardinality
            self.deleteRule = deleteRule
            self.inverse = inverse
        }
    }

    /// How many records a relationship leads to.
    public enum Cardinality: String, Hashable, Sendable, Codable {
        case toOne
        case toMany
    }

    /// What a deletion does to the records at the other end, SwiftData's `Schema.Relationship.DeleteRule`.
    public enum DeleteRule: String, Hashable, Sendable, Codable {
        /// They go too.
        case cascade
        /// Their reference reads as null until the record is created again.
        case nullify
        /// There is no deletion while there is one.
        case deny
        /// Nothing is done to them. What they refer to is not there, so their reference reads as null.
        case noAction
    }
}

extension Schema.Entity {
    public func attribute(_ name: String) -> Schema.Attribute? {
        attributes.first { $0.name == name }
    }

    /// What travels in a change's `fields`: the synced attributes in declared order, then the to-one relationships.
    public var fields: [Schema.Attribute] {
        attributes.filter { $0.scope == .synced }
            + relationships.filter { $0.cardinality == .toOne }.map {
                Schema.Attribute(
                    name: $0.name, originalName: $0.originalName, type: .reference(to: $0.target), default: nil,
                    scope: .synced)
            }
    }
}

extension Schema {
    /// What an attribute or reference of one of the entities is on the wire: a reference is whatever its target's ids
    /// are.
    public func wireType(of field: Attribute) -> AttributeType {
        guard case .reference(let target) = field.type.kind, entity(target)?.identityType == .string else {
            return field.type
        }
        return AttributeType(.string, isOptional: field.type.isOptional)
    }
}

extension Schema {
    /// The version number of a schema, `major.minor.patch`, as SwiftData's `Schema.Version`.
    public struct Version: Hashable, Sendable, Comparable, CustomStringConvertible {
        public let major: Int
        public let minor: Int
        public let patch: Int

        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// The longest text of a version: three numbers of six digits.
        static let sizeMaxBytes = 20

        /// Reads `0.0.4`: three decimal numbers of at most six digits each, and nothing else. No zero leads one, as in
        /// Semantic Versioning: a version has one name.
        public init?(_ text: some StringProtocol) {
            guard text.utf8.count <= Version.sizeMaxBytes else { return nil }
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let areDigits = parts.allSatisfy { part in
                (1...6).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    && (part.utf8.count == 1 || part.utf8.first != 0x30)
            }
            guard parts.count == 3, areDigits else { return nil }
            guard let major = Int(parts[0]), let minor = Int(parts[1]), let patch = Int(parts[2]) else { return nil }
            self.init(major, minor, patch)
        }

        public var description: String { "\(major).\(minor).\(patch)" }

        public static func < (a: Version, b: Version) -> Bool {
            (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch)
        }
    }
}

extension Schema.Version: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let version = Schema.Version(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "‘\(text)’ is not major.minor.patch"))
        }
        self = version
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
