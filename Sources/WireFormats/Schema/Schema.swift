/// One published version of an app's models, as a value: the entities and attributes that its clients send and read.
///
/// A published version never depends on a Swift type that may still change: a `VersionedSchema` declares a schema, and
/// from then on only this value is used. Two schemas with the same fingerprint have the same wire format.
public struct Schema: Hashable, Sendable, Codable {
    /// The version number.
    public let version: Version
    /// The entities in declared order. Inherited entities come first, in the order of the version that they are
    /// inherited from.
    package let entities: [Entity]
    /// The fingerprint: a hash that distinguishes two schemas with the same version number. 16 hexadecimal digits,
    /// computed from everything that clients of the schema can notice. It is stored, because every request uses it.
    public private(set) var fingerprint = ""

    private enum CodingKeys: CodingKey {
        case version
        case entities
    }

    package init(version: Version, entities: [Entity]) {
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

    /// The greatest length of a name that a client may send for an entity, an attribute or a version, in bytes of
    /// UTF-8. Names that people write are far shorter, and within this limit a look-up is fast.
    package static let nameSizeMaxBytes = 256

    /// The greatest length of an id that is a text, in bytes of UTF-8. Most addresses are shorter, and within this
    /// limit a page of records keeps a reasonable size.
    package static let idSizeMaxBytes = 512

    package func entity(_ name: String) -> Entity? {
        entities.first { $0.name == name }
    }

    /// The storage of an entity or attribute: on the server and on every device, or on one device only.
    public enum Scope: String, Hashable, Sendable, Codable {
        /// Stored on the server and on every device.
        case synced
        /// Never sent or received: outboxes, tokens, facts about one device.
        case local
    }

    /// The type of the ids of an entity's records.
    public enum IdentityType: String, Hashable, Sendable, Codable {
        /// A UUID, which is sent as 36 characters in lower case.
        case uuid
        /// Any text of 1 to `Schema.idSizeMaxBytes` bytes of UTF-8 without U+0000: a slug, a server's key. Two ids are
        /// equal if their bytes are equal.
        case string
    }

    /// The number of records of an entity in a space: many or one.
    public enum Multiplicity: String, Hashable, Sendable, Codable {
        /// Any number of records.
        case many
        /// One record that all devices share, such as the settings. `HubEntity.singleton` is its id.
        case singleton
    }

    /// A kind of record, under the name that this version has for it.
    package struct Entity: Hashable, Sendable, Codable {
        package let name: String
        /// The entity's name in the version before; `nil` if it is the same there, or if the entity is new.
        package let originalName: String?
        package let scope: Scope
        package let multiplicity: Multiplicity
        /// The name of the attribute that is the record's id, which is sent as a change's `id`; `nil` if the model has
        /// none.
        package let identity: String?
        /// The type of the records' ids. It is `.uuid` if the model has no attribute for the id.
        package let identityType: IdentityType
        package let attributes: [Attribute]
        package let relationships: [Relationship]

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

        /// Decodes an entity. If the encoded form states no type of ids, as in older files, the ids are UUIDs.
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
        package let name: String
        package let originalName: String?
        package let type: AttributeType
        package let `default`: Default?
        package let scope: Scope
        /// The unit of a number, such as `minutes since midnight`; `nil` if the declaration states none.
        package let unit: String?
        /// True if no two living records of a space may hold the same value. Any number of records may hold null.
        package let isUnique: Bool
        /// The rule by which several edits of the attribute are merged.
        package let merge: MergePolicy

        package init(
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

        /// An option of an attribute, as SwiftData's `Schema.Attribute.Option`.
        public enum Option: Hashable, Sendable {
            /// No two records of a space, other than deleted ones, hold the same value. Any number of records may hold
            /// null.
            case unique
        }
    }

    /// A property that refers to records of another entity. Only to-one relationships are stored and sent.
    package struct Relationship: Hashable, Sendable, Codable {
        package let name: String
        package let originalName: String?
        package let target: String
        package let cardinality: Cardinality
        package let deleteRule: DeleteRule
        package let inverse: String?

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

    /// The number of records to which a relationship refers: at most one, or many.
    package enum Cardinality: String, Hashable, Sendable, Codable {
        case toOne
        case toMany
    }

    /// The effect of a deletion on the records at the other end of a relationship, as SwiftData's
    /// `Schema.Relationship.DeleteRule`.
    public enum DeleteRule: String, Hashable, Sendable, Codable {
        /// The records at the other end are deleted too.
        case cascade
        /// The reference at the other end reads as null until the deleted record is created again.
        case nullify
        /// The deletion is refused while there is a record at the other end.
        case deny
        /// The records at the other end are not changed. Their reference to the deleted record is read as null.
        case noAction
    }
}

extension Schema.Entity {
    package func attribute(_ name: String) -> Schema.Attribute? {
        attributes.first { $0.name == name }
    }

    /// The attributes that are sent in a change's `fields`: the synced attributes in declared order, then the to-one
    /// relationships.
    package var fields: [Schema.Attribute] {
        attributes.filter { $0.scope == .synced }
            + relationships.filter { $0.cardinality == .toOne }.map {
                Schema.Attribute(
                    name: $0.name, originalName: $0.originalName, type: .reference(to: $0.target), default: nil,
                    scope: .synced)
            }
    }
}

extension Schema {
    /// The type in which a field of one of the schema's entities is sent. A reference is sent in the type of its
    /// target's ids.
    package func wireType(of field: Attribute) -> AttributeType {
        guard case .reference(let target) = field.type.kind, entity(target)?.identityType == .string else {
            return field.type
        }
        return AttributeType(.string, isOptional: field.type.isOptional)
    }
}

extension Schema {
    /// The version number of a schema, `major.minor.patch`, as SwiftData's `Schema.Version`.
    public struct Version: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The first number.
        public let major: Int
        /// The second number.
        public let minor: Int
        /// The third number.
        public let patch: Int

        /// Makes a version number. None of the three is negative.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// The greatest length of a version's text in bytes: three numbers of six digits with two points.
        static let sizeMaxBytes = 20

        /// Reads a version number such as `0.0.4`: three decimal numbers of at most six digits each, and nothing else.
        /// No number has a leading zero, as in Semantic Versioning, so that each version has one name.
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
