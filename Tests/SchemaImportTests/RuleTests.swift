import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Questions that depend on the older versions.
@Suite struct RuleTests {
    private static let past = Fact.property("seen", "Date", Fact.implicit("lastMonday"), line: 7)

    private func imported(_ older: [PropertyFact], _ newer: [PropertyFact]) throws -> ImportResult {
        try Imports.new(
            Fact.version("SchemaV1", [1, 0, 0], [Fact.model("Trip", [Fact.id] + older)]),
            Fact.version("SchemaV2", [2, 0, 0], [Fact.model("Trip", [Fact.id] + newer), Fact.model("Car", newer)]))
    }

    @Test func aDefaultIsAskedForOnlyWhereOlderRecordsNeedOne() throws {
        let added = try imported([], [RuleTests.past])
        #expect(added.questions.map { "\($0.code.rawValue) \($0.subject)" } == ["default Trip.seen"])
        #expect(
            added.questions[0].choices.map(\.statement) == [
                "Attribute(\"seen\", .date, default: .creation)", "Attribute(\"seen\", .date.optional)",
            ])
        #expect(added.notes.contains { $0.contains("Car.seen: its initial value is none that a plan can state") })
        let kept = try imported([Fact.property("seen", "Date")], [RuleTests.past])
        #expect(kept.questions.isEmpty)
        let renamed = try imported(
            [Fact.property("met", "Date")],
            [Fact.property("seen", "Date", Fact.implicit("distantPast"), line: 7, Fact.attribute(originalName: "met"))])
        #expect(renamed.questions.isEmpty)
    }

    @Test func aMissingDefaultIsAskedForWithWhatCanBeWritten() throws {
        let number = try imported([], [Fact.property("count", "Int", line: 9)])
        #expect(number.questions.map(\.code) == [.plan])
        #expect(
            number.questions[0].choices.map(\.statement) == [
                "Attribute(\"count\", .int, default: 0)", "Attribute(\"count\", .int.optional)",
                "originalName: \"…\" at the property",
            ])
    }

    @Test func aModelThatItsVersionDoesNotListIsNoted() throws {
        let result = try Imports.new(
            Fact.version(
                "SchemaV1", [1, 0, 0], models: .array([Fact.metatype("Self.Trip")]),
                [Fact.model("Trip", [Fact.id]), Fact.model("Car", line: 8, [Fact.id])]))
        #expect(result.versions[0].schema.entities.map(\.name) == ["Trip"])
        #expect(result.notes == ["Models.swift:8: Car: not among the models of ‘SchemaV1’: left out"])
        #expect(result.questions.isEmpty)
    }

    @Test func aVersionWithoutAModelThatItListsIsNotInOrder() throws {
        let result = try Imports.new(
            Fact.version(
                "SchemaV1", [1, 0, 0], models: .array([Fact.metatype("Trip"), Fact.metatype("Gone")]),
                [Fact.model("Trip", [Fact.id])]))
        let text = try #require(result.files.first { $0.name == "Toy+SchemaV1.swift" }).text
        #expect(text.contains("Undecided(\n                \"‘Gone’ is listed as a model"))
    }

    @Test func aListThatMayBelongToTwoListsIsNoReference() throws {
        let result = try Imports.new(
            Fact.model("Club", [Fact.id, Fact.property("members", "[Member]")]),
            Fact.model("Member", [Fact.id, Fact.property("clubs", "[Club]"), Fact.property("owned", "[Club]")]))
        let first = try #require(result.questions.first { $0.subject == "Club.members" })
        #expect(first.choices[0].statement.contains("toMany: \"ClubMember\""))
        #expect(!first.choices.contains { $0.effect.contains("the reference that travels") })
    }

    @Test func twoListsAreNotSuggestedTheSameReference() throws {
        let result = try Imports.new(
            Fact.model(
                "Board", [Fact.id, Fact.property("open", "[Card]"), Fact.property("done", "[Card]")]),
            Fact.model("Card", [Fact.id]))
        #expect(
            result.questions.map { $0.choices[0].statement } == [
                "Relationship(\"open\", toMany: \"Card\", inverse: \"board\")",
                "Relationship(\"done\", toMany: \"Card\", inverse: \"boardDone\")",
            ])
    }

    @Test func aTransformerIsAskedForBytesFirstWhereTheTypeIsNone() throws {
        let result = try Imports.new(Fact.model("Trip", [Fact.id, Fact.property("x", "UIColor?", Fact.transformable)]))
        #expect(result.questions.map { $0.choices[0].statement } == ["Attribute(\"x\", .data.optional)"])
    }

    @Test func aTypeThatMayLieElsewhereIsAskedForItsFolder() throws {
        let mine = try Imports.new(Fact.model("Trip", [Fact.id, Fact.property("x", "[Money]")]))
        #expect(mine.questions[0].choices[0].statement == "name the folder that declares it, too")
        let apples = try Imports.new(Fact.model("Trip", [Fact.id, Fact.property("x", "UIColor")]))
        #expect(apples.questions[0].text.contains("is a framework's"))
        #expect(!apples.questions[0].choices.contains { $0.statement.contains("folder") })
    }

    @Test func aStageBesideThePlanIsShown() throws {
        let stage = ExpressionFact.call(
            function: ".custom",
            arguments: [
                ArgumentFact(label: "fromVersion", value: Fact.metatype("SchemaV1")),
                ArgumentFact(label: "toVersion", value: Fact.metatype("SchemaV2")),
                ArgumentFact(label: "didMigrate", value: .closure("{ context in repair(context) }")),
            ])
        let result = try Imports.new(
            Fact.version("SchemaV1", [1, 0, 0], [Fact.model("Trip", [Fact.id])]),
            Fact.version("SchemaV2", [2, 0, 0], [Fact.model("Trip", [Fact.id])]),
            TypeFact(
                kind: .enum, name: "Stages", location: Fact.at(70),
                properties: [Fact.property("second", nil, stage, line: 71, modifiers: ["static"])]))
        #expect(result.questions.map(\.place) == ["Models.swift:71"])
        #expect(result.questions[0].text.contains("which the plan's file shows"))
    }
}
