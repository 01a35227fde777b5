import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Several states of the sources, one for each tag.
@Suite struct HistoryTests {
    private func snapshot(_ label: String?, _ version: [Int]?, _ types: TypeFact...) -> SchemaImporter.Snapshot {
        .init(
            label: label, version: version.map { Schema.Version($0[0], $0[1], $0[2]) }, facts: Fact.sources(types))
    }

    private func trip(_ names: String...) -> TypeFact {
        Fact.model("Trip", [Fact.id] + names.map { Fact.property($0, "String", .string("")) })
    }

    private func run(_ snapshots: [SchemaImporter.Snapshot]) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy")
        return try importer.run(snapshots, namespace: "Toy")
    }

    @Test func eachShapeOfModelsWithoutVersionsIsOne() throws {
        let result = try run([
            snapshot("v1.0.0", [1, 0, 0], trip("name")), snapshot("v1.0.1", [1, 0, 1], trip("name")),
            snapshot("v1.1.0", [1, 1, 0], trip("place", "name")), snapshot(nil, nil, trip("name", "place")),
        ])
        #expect(result.versions.map { "\($0.schema.version)" } == ["1.0.0", "1.1.0"])
        #expect(result.notes.contains { $0.hasPrefix("1.0.1 has the shape of 1.0.0") })
    }

    @Test func whatIsNotTaggedYetIsTheNextVersion() throws {
        let result = try run([
            snapshot("v1.2.0", [1, 2, 0], trip("name")), snapshot(nil, nil, trip("name", "place")),
        ])
        #expect(result.versions.map { "\($0.schema.version)" } == ["1.2.0", "1.3.0"])
        #expect(result.notes.contains { $0.contains("they became 1.3.0") })
    }

    @Test func anotherShapeUnderANumberIsAVariantOfTheLatest() throws {
        let result = try run([
            snapshot("v1", nil, Fact.version("SchemaV1", [1, 0, 0], [trip("name")])),
            snapshot("v2", nil, Fact.version("SchemaV1", [1, 0, 0], [trip("name", "place")])),
            snapshot(nil, nil, Fact.version("SchemaV1", [1, 0, 0], [trip("place", "name")])),
        ])
        #expect(result.versions.map(\.isVariant) == [false, true])
        #expect(
            result.files.first { $0.name == "Toy+SchemaV1Other.swift" }?.text.contains(
                "Inherits(SchemaV1.self)\n            Model(\"Trip\") {\n                Removed(\"place\")") == true)
        #expect(
            result.files.last?.text.contains(
                "HistoricalVariant(Toy.SchemaV1Other.self, of: Toy.SchemaV1.self, addedWith: Toy.SchemaV1.self)")
                == true)
    }

    /// An answer in the canonical version is not inherited by a shape that has no such question.
    @Test func aVariantWithoutTheQuestionsOfItsVersionStatesAllOfItself() throws {
        let tag = Fact.model("Tag", line: 20, [Fact.id, Fact.property("trips", "[Trip]", line: 21)])
        let tagged = Fact.model(
            "Trip",
            [
                Fact.id, Fact.property("name", "String", .string("")),
                Fact.property("tags", "[Tag]", Fact.relationship(inverse: "\\Tag.trips")),
            ])
        let result = try run([
            snapshot("v1", nil, Fact.version("SchemaV1", [1, 0, 0], [trip("name")])),
            snapshot(nil, nil, Fact.version("SchemaV1", [1, 0, 0], [tagged, tag])),
        ])
        #expect(result.versions.map(\.isVariant) == [false, true])
        #expect(result.questions.contains { $0.code == .manyToMany })
        let text = result.files.first { $0.name == "Toy+SchemaV1Other.swift" }?.text ?? ""
        #expect(text.contains("Model(\"Trip\") {") && !text.contains("Inherits"), "\(text)")
    }

    @Test func aVersionThatIsGoneFromTheSourcesIsKept() throws {
        let result = try run([
            snapshot("v1", nil, Fact.version("SchemaV1", [1, 0, 0], [trip("name")])),
            snapshot(nil, nil, Fact.version("SchemaV2", [2, 0, 0], [trip("name", "place")])),
        ])
        #expect(result.versions.map { "\($0.schema.version)" } == ["1.0.0", "2.0.0"])
    }

    @Test func aTagWithoutANumberIsAskedForAndLocationsSayTheirTag() throws {
        let result = try run([snapshot("beta", nil, trip("name")), snapshot(nil, nil, trip("name"))])
        #expect(result.questions.map(\.code) == [.version])
        #expect(result.questions.map(\.place) == ["beta:Models.swift:1"])
    }

    // MARK: A plan that is there

    private enum First: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Trip") {
                Identity("id")
                Attribute("name", .string, default: "", unit: "letters")
                Attribute("price", .codable("Money"))
                Attribute("secret", .string.optional, scope: .local)
            }
            Model("Outbox", scope: .local)
        }
    }

    private enum ToyPlan: SchemaMigrationPlan {
        static let app = "toy"
        static let schemas: [any VersionedSchema.Type] = [First.self]
        static let stages: [MigrationStage] = []
    }

    private func update(_ types: TypeFact...) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy")
        return try importer.update(ToyPlan.self, from: [.init(facts: Fact.sources(types))], next: nil)
    }

    private let known = [
        Fact.id, Fact.property("name", "String", .string("")), Fact.property("price", "Money"),
        Fact.property("secret", "Token"),
    ]
    private let outbox = Fact.model("Outbox", [Fact.property("payload", "Thing")])

    @Test func whatThePlanDecidedIsNotAskedAgain() throws {
        let result = try update(Fact.model("Trip", known), outbox)
        #expect(result.files.isEmpty)
        #expect(result.questions.isEmpty)
        #expect(result.drifts.isEmpty)
    }

    private enum Open: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models { Model("Trip") { Undecided("what is it?", at: "Trip.swift:1") } }
    }

    private enum OpenPlan: SchemaMigrationPlan {
        static let app = "open"
        static let schemas: [any VersionedSchema.Type] = [Open.self]
        static let stages: [MigrationStage] = []
    }

    @Test func questionsAreDecidedBeforeAnotherVersionComes() {
        let failure = #expect(throws: ImportFailure.self) {
            var importer = SchemaImporter(app: "open")
            return try importer.update(
                OpenPlan.self, from: [.init(facts: Fact.sources([Fact.model("Trip", [Fact.id])]))], next: nil)
        }
        #expect(failure?.description.contains("has 1 questions") == true)
    }

    /// An app whose tags are its versions.
    @Test func aTagAfterThePlanBecomesTheNextVersionByItsNumber() throws {
        func state(_ tag: String, _ properties: PropertyFact...) -> SchemaImporter.Snapshot {
            .init(
                label: "v\(tag)", version: Schema.Version(tag),
                facts: Fact.sources([Fact.model("Trip", known + properties), outbox]))
        }
        let note = Fact.property("note", "String?")
        var importer = SchemaImporter(app: "toy")
        let result = try importer.update(ToyPlan.self, from: [state("1.0.0"), state("3.0.0", note)], next: nil)
        #expect(result.versions.map { "\($0.schema.version) \($0.isNew)" } == ["1.0.0 false", "3.0.0 true"])
        #expect(result.files.map(\.name).allSatisfy { $0 != "HistoryTests+.swift" && !$0.hasSuffix("+.swift") })
        #expect(result.files.allSatisfy { !$0.text.contains("enum :") && $0.text.contains("enum ") })
        var other = SchemaImporter(app: "toy")
        let late = try other.update(ToyPlan.self, from: [state("0.9.0", note), state("1.0.0")], next: nil)
        #expect(late.files.isEmpty)
        #expect(late.notes.contains { $0.contains("0.9.0 is not above 1.0.0") })
    }

    @Test func whatIsNewBecomesTheNextVersionAndNothingElseIsTouched() throws {
        let result = try update(
            Fact.model("Trip", known + [Fact.property("note", "String?"), Fact.property("photo", "Photo?")]), outbox)
        #expect(result.files.count == 1)
        #expect(result.additions.map(\.stage).first?.contains(".lightweight(") == true)
        #expect(result.versions.map { "\($0.schema.version)" } == ["2.0.0"])
        #expect(result.questions.map(\.subject) == ["Trip.photo"])
        let text = try #require(result.files.first?.text)
        #expect(text.contains("            Model(\"Trip\") {\n                Attribute(\"note\", .string.optional)\n"))
        #expect(!text.contains("Outbox"))
        let added = Schema.resolved(First.self).pairingInverses().schema.entity("Trip")?.attributes ?? []
        #expect(result.versions[0].schema.entity("Trip")?.attributes.prefix(3).map(\.name) == added.map(\.name))
    }

    @Test func aVersionThatThePlanHasInAnotherShapeIsNotWritten() throws {
        let result = try update(
            Fact.version(
                "SchemaV1", [1, 0, 0],
                [Fact.model("Trip", known + [Fact.property("note", "String?", line: 8)]), outbox]),
            Fact.version("SchemaV2", [2, 0, 0], [Fact.model("Trip", known), outbox]))
        #expect(result.drifts.map(\.place) == ["Models.swift:8"])
        #expect(result.drifts.map(\.version) == [Schema.Version(1, 0, 0)])
    }

    @Test("Current classes do not show an older version's shape, and cause no difference")
    func liveClassesOfOlderVersionsAreNotCompared() throws {
        let models = ExpressionFact.array([Fact.metatype("Trip"), Fact.metatype("Outbox")])
        let result = try update(
            Fact.model("Trip", known + [Fact.property("note", "String?")]), outbox,
            Fact.version("SchemaV1", [1, 0, 0], models: models, []),
            Fact.version("SchemaV2", [2, 0, 0], models: models, []))
        #expect(result.drifts.isEmpty)
        #expect(result.shapes.map { $0.prefix(6) } == ["1.0.0 ", "2.0.0 "])
        #expect(
            result.notes.contains {
                $0.hasSuffix("1.0.0 shares classes with a newer version: not compared: Trip, Outbox")
            })
        #expect(result.questions.isEmpty)
    }

    @Test func whatIsLeftOutIsSaidAgain() throws {
        let plan = TypeFact(
            kind: .enum, name: "AppPlan", location: Fact.at(90), inherited: [Fact.named("SchemaMigrationPlan")],
            properties: [
                Fact.property("schemas", nil, .array([Fact.metatype("SchemaV1")]), modifiers: ["static"])
            ])
        let result = try update(
            Fact.version("SchemaV1", [1, 0, 0], [Fact.model("Trip", known), outbox]),
            Fact.version("SchemaV2", [2, 0, 0], line: 40, [Fact.model("Trip", [Fact.id])]), plan)
        #expect(result.files.isEmpty)
        #expect(
            result.notes.contains("Models.swift:40: ‘SchemaV2’, 2.0.0, is not in the app's plan ‘AppPlan’: left out"))
    }
}
