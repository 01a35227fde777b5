import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Models that are subclasses of models: a reference to the class may refer to a record of any subclass.
@Suite struct SubclassTests {
    private static let vehicle = Fact.model(
        "Vehicle", [Fact.id, Fact.property("wheels", "Int", .integer("4")), Fact.property("trips", "[Trip]")])
    private static let car = Fact.model(
        "Car", line: 5, inherits: ["Vehicle"],
        [
            Fact.property("doors", "Int", .integer("3")), Fact.property("plate", "String"),
            Fact.property("owner", "Owner?"),
        ])
    private static let bike = Fact.model(
        "Bike", line: 8, inherits: ["Vehicle", "Codable"],
        [Fact.property("doors", "Int?"), Fact.property("plate", "Int"), Fact.property("locks", "[Lock]")])
    private static let trip = Fact.model("Trip", line: 12, [Fact.id, Fact.property("vehicle", "Vehicle?")])
    private static let owner = Fact.model("Owner", line: 14, [Fact.id, Fact.property("car", "Car?")])
    private static let lock = Fact.model("Lock", line: 16, [Fact.id, Fact.property("bike", "Bike?")])
    private static let all = [vehicle, car, bike, trip, owner, lock]

    private func imported(_ types: [TypeFact]) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy")
        return try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
    }

    @Test("Subclasses become one entity with a kind, as the first choice says")
    func theyAreOneEntityWithAKind() throws {
        let result = try imported(SubclassTests.all)
        let schema = result.versions[0].schema
        #expect(schema.entities.map(\.name) == ["Vehicle", "Trip", "Owner", "Lock"])
        #expect(
            schema.entity("Vehicle")?.members.map(\.description) == [
                "id: the record's id", "wheels: Int = 4", "kind: enum VehicleKind (Vehicle, Car, Bike) = \"Vehicle\"",
                "doors: Int?", "plate: String?", "bikePlate: Int?", "trips: [→Trip], inverse vehicle",
                "owner: →Owner?, inverse car", "locks: [→Lock], inverse bike",
            ])
        #expect(schema.entity("Lock")?.relationships.map(\.target) == ["Vehicle"])
        #expect(schema.entity("Owner")?.relationships.map(\.target) == ["Vehicle"])
        #expect(schema.problems.isEmpty)
        #expect(result.questions.map { "\($0.code) \($0.subject)" } == ["inheritance Vehicle.kind"])
        #expect(result.questions[0].choices[0].statement == "remove this")
        let needs = result.questions[0].choices[1].needs.joined(separator: "\n")
        #expect(
            needs.contains("Model(\"Car\") {\n    Identity(\"id\")\n    Relationship(\"vehicle\", toOne: \"Vehicle\")"))
        #expect(needs.contains("Attribute(\"doors\", .int, default: 3)"))
        #expect(result.notes.contains { $0.contains("Bike.plate: it travels as ‘bikePlate’") })
    }

    /// With random classes in random order, every reference refers to an entity that has its target's records.
    @Test("Every reference leads to the entity that has the records", arguments: 0..<60)
    func everyReferenceLeadsToItsRecords(_ number: Int) throws {
        var random = SplitMix64(seed: UInt64(number))
        let count = Int.random(in: 2...6, using: &random)
        var above: [Int: Int] = [:]
        for index in 1..<count where Bool.random(using: &random) {
            above[index] = Int.random(in: 0..<index, using: &random)
        }
        func root(_ index: Int) -> Int { above[index].map(root) ?? index }
        var classes = (0..<count).map { index in
            let target = Int.random(in: 0..<count, using: &random)
            return Fact.model(
                "M\(index)", line: index, inherits: above[index].map { ["M\($0)"] } ?? ["Codable"],
                (above[index] == nil ? [Fact.id] : []) + [
                    Fact.property("own\(index)", "Int", .integer("1")), Fact.property("kind", "String?"),
                    Fact.property("to\(index)", "M\(target)?"),
                ])
        }
        classes.shuffle(using: &random)
        let result = try imported(classes)
        let schema = result.versions[0].schema
        let roots = (0..<count).filter { root($0) == $0 }
        #expect(Set(schema.entities.map(\.name)) == Set(roots.map { "M\($0)" }), "seed \(number)")
        #expect(schema.problems.isEmpty, "seed \(number): \(schema.problems)")
        for index in 0..<count {
            let names = schema.entity("M\(root(index))")?.members.map(\.name) ?? []
            #expect(names.contains("own\(index)") && names.contains("to\(index)"), "seed \(number)")
        }
        #expect(result.questions.allSatisfy { $0.code == .inheritance }, "seed \(number): \(result.questions)")
        #expect(result.questions.isEmpty == above.isEmpty)
        let draft = try #require(SourceHistory([.init(facts: Fact.sources(classes))]).versions.last?.draft)
        #expect(DriftCheck(draft, against: schema).drifts.isEmpty, "seed \(number)")
    }

    @Test("A class that is not listed has its subclass' records")
    func aClassThatIsNotListedIsThere() throws {
        let version = Fact.version(
            "SchemaV1", [1, 0, 0], models: .array([Fact.metatype("Car"), Fact.metatype("Owner")]),
            [SubclassTests.vehicle, SubclassTests.car, SubclassTests.owner, SubclassTests.trip])
        let result = try imported([version])
        #expect(Set(result.versions[0].schema.entities.map(\.name)) == ["Vehicle", "Owner", "Trip"])
    }

    @Test("A later subclass adds a case, and existing cases stay")
    func aSubclassMayComeLater() throws {
        let versions = [
            Fact.version("SchemaV1", [1, 0, 0], [SubclassTests.vehicle, SubclassTests.trip]),
            Fact.version(
                "SchemaV2", [2, 0, 0], line: 20,
                [SubclassTests.vehicle, SubclassTests.trip, SubclassTests.car, SubclassTests.owner]),
            Fact.version("SchemaV3", [3, 0, 0], line: 40, SubclassTests.all),
        ]
        let result = try imported(versions)
        #expect(result.questions.map(\.code) == [.inheritance, .inheritance])
        let schemas = result.versions.map(\.schema)
        for (older, newer) in zip(schemas, schemas.dropFirst()) {
            #expect(older.problems(inStageTo: newer).isEmpty)
        }
    }

    // MARK: Plans that say it otherwise

    private enum Apart: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Vehicle") {
                Identity("id")
                Attribute("wheels", .int, default: 4)
                Relationship("trips", toMany: "Trip", inverse: "vehicle")
            }
            Model("Car") {
                Identity("id")
                Attribute("wheels", .int, default: 4)
                Attribute("doors", .int, default: 3)
                Attribute("plate", .string)
            }
            Model("Trip") {
                Identity("id")
                Relationship("vehicle", toOne: "Vehicle")
            }
        }
    }

    private enum Beside: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Vehicle") {
                Identity("id")
                Attribute("wheels", .int, default: 4)
                Relationship("trips", toMany: "Trip", inverse: "vehicle")
            }
            Model("Car") {
                Identity("id")
                Relationship("vehicle", toOne: "Vehicle")
                Attribute("doors", .int, default: 3)
                Attribute("plate", .string)
            }
            Model("Trip") {
                Identity("id")
                Relationship("vehicle", toOne: "Vehicle")
            }
        }
    }

    private enum ApartPlan: SchemaMigrationPlan {
        static let app = "apart"
        static let schemas: [any VersionedSchema.Type] = [Apart.self]
        static let stages: [MigrationStage] = []
    }

    private enum BesidePlan: SchemaMigrationPlan {
        static let app = "beside"
        static let schemas: [any VersionedSchema.Type] = [Beside.self]
        static let stages: [MigrationStage] = []
    }

    @Test("A plan that has an entity for the subclass keeps it", arguments: [true, false])
    func aPlanThatHasAnEntityForItKeepsIt(isApart: Bool) throws {
        let plain = Fact.model(
            "Car", line: 5, inherits: ["Vehicle"],
            [Fact.property("doors", "Int", .integer("3")), Fact.property("plate", "String")])
        let plan: any SchemaMigrationPlan.Type = isApart ? ApartPlan.self : BesidePlan.self
        func drifts(_ car: TypeFact) throws -> [Drift] {
            let facts = Fact.sources([SubclassTests.vehicle, car, SubclassTests.trip])
            return try SchemaImporter.compare(facts, with: plan).drifts
        }
        #expect(try drifts(plain).isEmpty)
        var wider = plain
        wider.properties.append(Fact.property("seats", "Int", .integer("5"), line: 7))
        #expect(try drifts(wider).map(\.subject) == ["Car.seats"])
    }
}
