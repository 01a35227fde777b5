import DemoApps
import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// The comparison of an app's models with the plan's newest version.
@Suite struct DriftTests {
    private enum First: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Trip") {
                Identity("id")
                Attribute("name", .string, default: "")
                Attribute("count", .int)
                Attribute("kind", .enumeration("Kind", ["home", "away"]), default: "home")
                Relationship("days", toMany: "Day", deleteRule: .cascade, inverse: "trip")
            }
            Model("Day") {
                Identity("id")
                Relationship("trip", toOne: "Trip")
            }
        }
    }

    private enum ToyPlan: SchemaMigrationPlan {
        static let app = "toy"
        static let schemas: [any VersionedSchema.Type] = [First.self]
        static let stages: [MigrationStage] = []
    }

    private enum Keyed: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Tag") { Identity("id", .string) }
            Model("Note") { Attribute("id", .string) }
        }
    }

    private enum KeyedPlan: SchemaMigrationPlan {
        static let app = "keyed"
        static let schemas: [any VersionedSchema.Type] = [Keyed.self]
        static let stages: [MigrationStage] = []
    }

    private enum Later: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(Earlier.self)
            Model("Note") { Attribute("text", .string.optional) }
        }
    }

    private enum Earlier: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models { Model("Note") { Identity("id") } }
    }

    private enum LongerPlan: SchemaMigrationPlan {
        static let app = "longer"
        static let schemas: [any VersionedSchema.Type] = [Earlier.self, Later.self]
        static let stages: [MigrationStage] = [.lightweight(fromVersion: Earlier.self, toVersion: Later.self)]
    }

    /// A version that was shipped and withdrawn stays in the plan, and the app continues with the version before.
    @Test(arguments: [true, false])
    func sourcesOfAnOlderVersionAreComparedWithThat(_ isSame: Bool) throws {
        let models = [Fact.model("Note", [Fact.id] + (isSame ? [] : [Fact.property("text", "String?")]))]
        let facts = Fact.sources([Fact.version("SchemaV1", [1, 0, 0], models)])
        let (version, drifts, notes) = try SchemaImporter.compare(facts, with: LongerPlan.self)
        #expect(version == Schema.Version(1, 0, 0))
        #expect(drifts.map(\.subject) == (isSame ? [] : ["Note.text"]))
        #expect(notes.contains { $0.contains("these sources end with 1.0.0") }, "\(notes)")
    }

    /// The app decides which classes a version lists; a class that no version lists is in no version of the plan
    /// either.
    @Test func aClassThatNoVersionListsIsNotedAndNoDifference() throws {
        let note = Fact.model("Note", [Fact.id, Fact.property("text", "String?")])
        let facts = Fact.sources([
            Fact.version("SchemaV2", [2, 0, 0], [note]), Fact.model("Preview", line: 30, [Fact.id]),
        ])
        let (_, drifts, notes) = try SchemaImporter.compare(facts, with: LongerPlan.self)
        #expect(drifts.isEmpty)
        #expect(notes.contains { $0.contains("Preview: no version of the app lists it") }, "\(notes)")
    }

    private static let properties = [
        Fact.id, Fact.property("name", "String", .string(""), line: 3), Fact.property("count", "Int", line: 4),
        Fact.property("kind", "Kind", Fact.implicit("home"), line: 5),
        Fact.property("days", "[Day]", line: 6, Fact.relationship("cascade")),
    ]
    private static let day = Fact.model("Day", line: 20, [Fact.id, Fact.property("trip", "Trip?", line: 21)])
    private static let kind = Fact.enumeration("Kind", "String", [("away", nil), ("home", nil)])

    private func drifts(
        _ properties: [PropertyFact], _ others: [TypeFact] = [day, kind]
    ) throws -> [String] {
        let facts = Fact.sources([Fact.model("Trip", properties)] + others)
        return try SchemaImporter.compare(facts, with: ToyPlan.self).drifts.map { "\($0.place) \($0.subject)" }
    }

    @Test func whatIsTheSameIsQuiet() throws {
        #expect(try drifts(DriftTests.properties).isEmpty)
        #expect(try drifts(DriftTests.properties.reversed()).isEmpty)
    }

    @Test(arguments: properties.indices)
    func aPropertyThatIsGoneIsFound(_ index: Int) throws {
        var properties = DriftTests.properties
        let name = properties.remove(at: index).name
        let found = try drifts(properties)
        #expect(!found.isEmpty, "without \(name)")
        #expect(found.allSatisfy { $0.contains(".swift:") })
    }

    @Test(arguments: [
        (Fact.property("name", "String?", .string(""), line: 3), "Models.swift:3 Trip.name"),
        (Fact.property("name", "String", .string("x"), line: 3), "Models.swift:3 Trip.name"),
        (Fact.property("name", "Int", .integer("1"), line: 3), "Models.swift:3 Trip.name"),
        (Fact.property("name", "String", .string(""), line: 3, Fact.attribute(["unique"])), "Models.swift:3 Trip.name"),
        (Fact.property("count", "Double", line: 4), "Models.swift:4 Trip.count"),
        (Fact.property("kind", "String", .string("home"), line: 5), "Models.swift:5 Trip.kind"),
        (Fact.property("days", "[Day]", line: 6), "Models.swift:6 Trip.days"),
        (Fact.property("extra", "Int", line: 7), "Models.swift:7 Trip.extra"),
        (Fact.property("extra", "Money", line: 7), "Models.swift:7 Trip.extra"),
        (Fact.property("extra", "Day?", line: 7), "Models.swift:7 Trip.extra"),
    ])
    func aPropertyThatIsOtherwiseIsFound(_ property: PropertyFact, _ expected: String) throws {
        let kept = DriftTests.properties.filter { $0.name != property.name }
        #expect(try drifts(kept + [property]).contains(expected))
    }

    @Test func casesAndModelsAreCompared() throws {
        let wider = Fact.enumeration("Kind", "String", [("away", nil), ("home", nil), ("far", nil)])
        #expect(try drifts(DriftTests.properties, [DriftTests.day, wider]) == ["Models.swift:5 Trip.kind"])
        #expect(
            try drifts(
                DriftTests.properties, [DriftTests.day, DriftTests.kind, Fact.model("Car", line: 30, [Fact.id])]
            )
            .contains("Models.swift:30 Car"))
        let alone = DriftTests.properties.filter { $0.name != "days" }
        #expect(try drifts(alone, [DriftTests.kind]).contains { $0.hasSuffix(" Day") })
    }

    @Test("Types of ids are compared, and a text that the plan has as an attribute counts")
    func idsAreCompared() throws {
        func drifts(_ tag: String, _ note: String) throws -> [Drift] {
            let facts = Fact.sources([
                Fact.model("Tag", line: 1, [Fact.property("id", tag)]),
                Fact.model("Note", line: 9, [Fact.property("id", note)]),
            ])
            return try SchemaImporter.compare(facts, with: KeyedPlan.self).drifts
        }
        #expect(try drifts("String", "String").isEmpty)
        let found = try drifts("UUID", "String")
        #expect(found.map(\.subject) == ["Tag"])
        #expect(found.first?.message.contains("‘id’, a String") == true)
        #expect(found.first?.remedy.contains("`Identity(\"id\")`") == true)
    }

    @Test func aDefaultThatOnlyThePlanHasIsAnAnswer() throws {
        var properties = DriftTests.properties
        properties[1].value = nil
        #expect(try drifts(properties).isEmpty)
    }

    @Test func anotherNumberIsADrift() throws {
        let version = Fact.version(
            "SchemaV2", [1, 1, 0], line: 9, [Fact.model("Trip", DriftTests.properties), DriftTests.day])
        let found = try SchemaImporter.compare(Fact.sources([version, DriftTests.kind]), with: ToyPlan.self).drifts
        #expect(found.map(\.place) == ["Models.swift:9"])
        #expect(found[0].remedy.contains("schema import"))
    }
}
