import FoundationEssentials
import Testing

@testable import WireFormats

@Suite struct SchemaVersionTests {
    @Test(arguments: [("0.0.4", Schema.Version(0, 0, 4)), ("10.20.999999", Schema.Version(10, 20, 999_999))])
    func threeNumbersAreAVersion(text: String, version: Schema.Version) {
        #expect(Schema.Version(text) == version)
        #expect("\(version)" == text)
    }

    @Test(arguments: [
        "", "1", "1.2", "1.2.3.4", "1..3", "a.b.c", "-1.0.0", "+1.0.0", "1.0.1000000", " 1.0.0", "1.0.0 ", "١.٠.٠",
        "1,0,0",
    ])
    func anythingElseIsNot(text: String) {
        #expect(Schema.Version(text) == nil)
    }

    @Test func versionsAreOrderedByNumber() {
        #expect(Schema.Version(0, 9, 0) < Schema.Version(0, 10, 0))
        #expect(Schema.Version(0, 10, 9) < Schema.Version(1, 0, 0))
    }
}

@Suite struct FingerprintTests {
    /// Devices have the fingerprints of published versions, so changes of the code must not change them.
    @Test func theFingerprintOfAShapeNeverChanges() {
        #expect(Self.schema().fingerprint == "15585be3619bb577")
    }

    @Test("S1_16: every change that a client can notice changes the fingerprint, delete rules and inverses too")
    func everyChangeThatAClientCanNoticeChangesIt() {
        let attribute = Schema.Attribute(
            name: "a", originalName: nil, type: .string, default: nil, scope: .synced)
        func changed(
            name: String = "a", _ type: AttributeType = .string, default standard: Default? = nil,
            scope: Schema.Scope = .synced
        ) -> Schema {
            Self.schema([Schema.Attribute(name: name, originalName: nil, type: type, default: standard, scope: scope)])
        }
        let relationship = Self.relationship()
        let shapes = [
            Self.schema([attribute]), Self.schema(version: Schema.Version(1, 0, 1), [attribute]),
            Self.schema(entity: "B"),
            Self.schema(identity: nil), Self.schema(identityType: .string), Self.schema(scope: .local),
            Self.schema(multiplicity: .singleton),
            Self.schema([]),
            Self.schema([attribute, attribute]),
            changed(name: "b"), changed(.int), changed(.string.optional), changed(default: "x"), changed(default: "y"),
            changed(scope: .local), changed(.enumeration("K", ["x", "y"])), changed(.enumeration("K", ["y", "x"])),
            changed(.enumeration("K", ["x"])), changed(.enumeration("L", ["x"])), changed(.array(of: .string)),
            changed(.array(of: .int)), changed(.codable("C")), changed(.codable("D")),
            changed(.date, default: .creation),
            Self.schema(relationships: [relationship]), Self.schema(relationships: [Self.relationship(name: "s")]),
            Self.schema(relationships: [Self.relationship(target: "B")]),
            Self.schema(relationships: [Self.relationship(cardinality: .toMany)]),
            Self.schema(relationships: [Self.relationship(rule: .cascade)]),
            Self.schema(relationships: [Self.relationship(inverse: "i")]),
        ]
        let fingerprints = shapes.map(\.fingerprint)
        #expect(Set(fingerprints).count == shapes.count)
        #expect(fingerprints.allSatisfy { $0.utf8.count == 16 })
    }

    @Test("S5_12: the unit of a number is in the fingerprint and in the JSON form")
    func theUnitCounts() throws {
        func schema(_ unit: String?) -> Schema {
            Self.schema([
                Schema.Attribute(name: "a", originalName: nil, type: .int, default: nil, scope: .synced, unit: unit)
            ])
        }
        #expect(Set([nil, "minutes", "seconds"].map { schema($0).fingerprint }).count == 3)
        #expect(try Schema(json: schema("minutes").json) == schema("minutes"))
    }

    @Test func whatIsUniqueCounts() throws {
        func schema(_ isUnique: Bool) -> Schema {
            Self.schema([
                Schema.Attribute(
                    name: "a", originalName: nil, type: .int, default: nil, scope: .synced, isUnique: isUnique)
            ])
        }
        #expect(schema(true).fingerprint != schema(false).fingerprint)
        #expect(try Schema(json: schema(true).json) == schema(true))
    }

    @Test func whatIdsAreIsInTheJSONForm() throws {
        for type in [Schema.IdentityType.uuid, .string] {
            let schema = Self.schema(identityType: type)
            #expect(try Schema(json: schema.json) == schema)
            #expect(schema.json.contains("identityType") == (type == .string))
            #expect(try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema)) == schema)
        }
    }

    @Test func historicalNamesDoNotCount() {
        let renamed = Schema.Attribute(name: "a", originalName: "old", type: .string, default: nil, scope: .synced)
        #expect(Self.schema([renamed]).fingerprint == Self.schema().fingerprint)
    }

    private static func schema(
        version: Schema.Version = Schema.Version(1, 0, 0), entity: String = "A", identity: String? = "id",
        identityType: Schema.IdentityType = .uuid, scope: Schema.Scope = .synced,
        multiplicity: Schema.Multiplicity = .many,
        _ attributes: [Schema.Attribute] = [
            Schema.Attribute(name: "a", originalName: nil, type: .string, default: nil, scope: .synced)
        ],
        relationships: [Schema.Relationship] = []
    ) -> Schema {
        Schema(
            version: version,
            entities: [
                Schema.Entity(
                    name: entity, originalName: nil, scope: scope, multiplicity: multiplicity, identity: identity,
                    identityType: identityType, attributes: attributes, relationships: relationships)
            ])
    }

    private static func relationship(
        name: String = "r", target: String = "A", cardinality: Schema.Cardinality = .toOne,
        rule: Schema.DeleteRule = .nullify, inverse: String? = nil
    ) -> Schema.Relationship {
        Schema.Relationship(
            name: name, originalName: nil, target: target, cardinality: cardinality, deleteRule: rule, inverse: inverse)
    }
}
