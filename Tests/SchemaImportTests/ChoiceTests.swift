import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// The choices of a question, which can be copied into the plan as they are.
@Suite struct ChoiceTests {
    @Test func aListBetweenModelsWithTextsAsIdsIsOneOfTexts() throws {
        func questions(_ id: String) throws -> [Question] {
            try Imports.new(
                Fact.model("Note", [Fact.property("id", id), Fact.property("tags", "[Tag]", Fact.relationship())]),
                Fact.model(
                    "Tag", line: 20,
                    [
                        Fact.property("id", id),
                        Fact.property("notes", "[Note]", Fact.relationship(inverse: "\\Note.tags")),
                    ])
            ).questions.filter { $0.code == .manyToMany }
        }
        for (id, type) in [("String", ".string"), ("UUID", ".uuid")] {
            let statements = try questions(id).flatMap { $0.choices.map(\.statement) }
            #expect(statements.contains { $0.contains(".array(of: \(type)).optional") }, "\(statements)")
        }
    }

    @Test func whatLeadsToSeveralEntitiesIsAListWhereItWasOne() throws {
        let event = Managed.entity("Event", [Managed.id, Managed.attribute("kind", "Integer 64")])
        let heir = Managed.entity("ListEvent", line: 20, ["parentEntity": "Event"], [])
        let box = Managed.entity(
            "Box", line: 30,
            [Managed.id, Managed.relationship("events", "Event", isMany: true), Managed.relationship("first", "Event")])
        let result = try Managed.imported(versions: Managed.model(event, heir, box))
        let asked = Dictionary(
            result.questions.map { ($0.member ?? "", $0.choices.map(\.statement)) }, uniquingKeysWith: { one, _ in one }
        )
        #expect(asked["events"]?.contains("Attribute(\"events\", .array(of: .uuid).optional)") == true)
        #expect(asked["first"]?.contains("Attribute(\"first\", .uuid.optional)") == true)
        // A name that none of them has.
        #expect(asked[""]?.contains("Attribute(\"eventKind\", .string) in ‘Event’") == true)
    }

    @Test func aURLHasNoEmptyDefault() throws {
        let result = try Imports.new(
            Fact.version("SchemaV1", [1, 0, 0], [Fact.model("Trip", [Fact.id])]),
            Fact.version("SchemaV2", [2, 0, 0], [Fact.model("Trip", [Fact.id, Fact.property("link", "URL")])]))
        let statements = result.questions.first { $0.member == "link" }?.choices.map(\.statement) ?? []
        #expect(statements.first == "Attribute(\"link\", .string.optional)")
        #expect(!statements.contains { $0.contains("default: \"\"") })
        let managed = try Managed.imported(
            versions: Managed.model(Managed.entity("Item", [Managed.id])),
            Managed.model(Managed.entity("Item", [Managed.id, Managed.attribute("link", "URI")])))
        #expect(managed.questions.first?.choices.first?.statement == "Attribute(\"link\", .string.optional)")
    }

    @Test(arguments: ["UInt8", "UInt16", "UInt32", "Int8", "Int"])
    func aTransformedListOfNumbersIsOne(_ element: String) throws {
        let attribute = Managed.attribute("ids", "Transformable", ["customClassName": "[\(element)]"])
        let result = try Managed.imported(versions: Managed.model(Managed.entity("Item", [Managed.id, attribute])))
        #expect(result.questions.first?.choices.first?.statement == "Attribute(\"ids\", .array(of: .int))")
    }

    @Test(arguments: [("-978307200", "1970-01-01T00:00:00Z"), ("0.5", "2001-01-01T00:00:00.500Z")])
    func aTimeOfAModelIsADefault(_ seconds: String, _ text: String) throws {
        let attribute = Managed.attribute("at", "Date", ["defaultDateTimeInterval": seconds])
        let result = try Managed.imported(
            versions: Managed.model(Managed.entity("Item", [Managed.id])),
            Managed.model(Managed.entity("Item", [Managed.id, attribute])))
        #expect(result.questions.isEmpty)
        #expect(Managed.members(result).contains("at: Date = \"\(text)\""), "\(Managed.members(result))")
    }

    // MARK: Stages

    private func asks(_ closure: String) throws -> Bool {
        let stage = ExpressionFact.call(
            function: "MigrationStage.custom",
            arguments: [
                ArgumentFact(label: "fromVersion", value: Fact.metatype("SchemaV1")),
                ArgumentFact(label: "toVersion", value: Fact.metatype("SchemaV2")),
                ArgumentFact(label: "didMigrate", value: .closure(closure)),
            ])
        let plan = TypeFact(
            kind: .enum, name: "Migrations", location: Fact.at(99), inherited: [Fact.named("SchemaMigrationPlan")],
            properties: [Fact.property("toV2", nil, stage, line: 100, modifiers: ["static"])])
        let result = try Imports.new(
            Fact.version("SchemaV1", [1, 0, 0], [Fact.model("Trip", [Fact.id])]),
            Fact.version("SchemaV2", [2, 0, 0], [Fact.model("Trip", [Fact.id])]), plan)
        return !result.questions.isEmpty
    }

    @Test(arguments: [
        "{ context in\n    print(\n        \"done\"\n    )\n    try context.save()\n}",
        "{ context in\n    if context.hasChanges {\n        try context.save()\n    }\n}",
        "{ context in\n    logger.info(\"V2 (of 2)\")\n    try? context.save()\n}",
        "{ context in\n    Self.logger.notice(\"done\", metadata: [:])\n}",
        "{ _ in\n    // nothing\n    NSLog(\"a\")\n}", "{ _ in }",
    ])
    func aStageThatOnlyTellsAndSavesIsNotAskedAbout(_ closure: String) throws {
        #expect(try !asks(closure))
    }

    @Test(arguments: [
        "{ context in\n    print(\n        \"done\"\n    ); context.delete(trip)\n}",
        "{ context in\n    if context.hasChanges {\n        context.delete(trip)\n    }\n}",
        "{ context in\n    if trips.isEmpty {\n        try context.save()\n    }\n}",
        "{ context in\n    print(\"a\") ; trip.name = f(1)\n}",
        "{ context in\n    logger.info(\"a\")\n    trip.name = (\"b\")\n}",
        "{ context in\n    blogger.post(\"a\").publish(context)\n}",
        "{ context in\n    if context.hasChanges { try context.save() } else { wipe(context) }\n}",
    ])
    func aStageThatDoesMoreIsAskedAbout(_ closure: String) throws {
        #expect(try asks(closure))
    }
}
