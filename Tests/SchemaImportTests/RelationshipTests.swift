import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Relationships between models.
@Suite struct RelationshipTests {
    private func relationships(_ types: TypeFact...) throws -> [String] {
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
        let members = result.versions[0].schema.entities.flatMap { entity in
            entity.members.filter { $0.type.contains("→") }.map { "\(entity.name).\($0)" }
        }
        return members + result.questions.map { "ask \($0.code.rawValue) \($0.subject) at \($0.place)" }
    }

    @Test func aStatedInverseIsThatOfBothSides() throws {
        #expect(
            try relationships(
                Fact.model(
                    "Trip",
                    [Fact.id, Fact.property("days", "[Day]", Fact.relationship("cascade", inverse: "Day.trip"))]),
                Fact.model("Day", [Fact.id, Fact.property("trip", "Trip?")]))
                == ["Trip.days: [→Day], cascade, inverse trip", "Day.trip: →Trip?, inverse days"])
    }

    @Test func anInverseThatNobodyCanDoubtIsFound() throws {
        #expect(
            try relationships(
                Fact.model("Trip", [Fact.id, Fact.property("days", "[Day]?")]),
                Fact.model("Day", [Fact.id, Fact.property("trip", "Trip", Fact.relationship("deny"))]))
                == ["Trip.days: [→Day], inverse trip", "Day.trip: →Trip?, deny, inverse days"])
    }

    @Test func aModelMayLeadToItself() throws {
        #expect(
            try relationships(
                Fact.model(
                    "Folder", [Fact.id, Fact.property("parent", "Folder?"), Fact.property("children", "[Folder]")]))
                == ["Folder.parent: →Folder?, inverse children", "Folder.children: [→Folder], inverse parent"])
    }

    @Test func aReferenceNeedsNoInverse() throws {
        #expect(
            try relationships(
                Fact.model("Trip", [Fact.id, Fact.property("car", "Car?")]), Fact.model("Car", [Fact.id]))
                == ["Trip.car: →Car?"])
    }

    @Test func aListWithoutAReferenceBackIsAskedFor() throws {
        #expect(
            try relationships(
                Fact.model("Trip", [Fact.id, Fact.property("days", "[Day]", line: 7)]), Fact.model("Day", [Fact.id]))
                == ["ask inverse Trip.days at Models.swift:7"])
    }

    @Test func ofTwoPossibleInversesNoneIsGuessed() throws {
        #expect(
            try relationships(
                Fact.model("Trip", [Fact.id, Fact.property("days", "[Day]")]),
                Fact.model("Day", [Fact.id, Fact.property("from", "Trip?"), Fact.property("to", "Trip?")]))
                == ["Day.from: →Trip?", "Day.to: →Trip?", "ask inverse Trip.days at Models.swift:2"])
    }

    @Test func twoListsAreAskedForAModelBetween() throws {
        let found = try Imports.new(
            Fact.model("Student", [Fact.id, Fact.property("courses", "[Course]")]),
            Fact.model("Course", [Fact.id, Fact.property("students", "[Student]")]))
        #expect(found.questions.map(\.code) == [.manyToMany, .manyToMany])
        #expect(found.questions[0].choices[0].statement.contains("toMany: \"CourseStudent\""))
        #expect(found.versions[0].schema.entities.allSatisfy { $0.relationships.isEmpty })
        #expect(found.versions[0].schema.problems.isEmpty)
    }

    /// Pairs of lists that are each other's inverse, of one model or of several.
    static let pairs: [(line: Int, models: [TypeFact])] = [
        (1, [Fact.model("Person", [Fact.id, list("friends", of: "Person", inverse: "friends")])]),
        (
            2,
            [
                Fact.model(
                    "Person",
                    [Fact.id, list("following", of: "Person", inverse: "followers"), list("followers", of: "Person")])
            ]
        ),
        (
            4,
            [
                Fact.model(
                    "Person",
                    [
                        Fact.id, list("following", of: "Person", inverse: "followers"),
                        list("followers", of: "Person"), list("likes", of: "Person", inverse: "likedBy"),
                        list("likedBy", of: "Person"),
                    ]), Fact.model("PersonFollowing", [Fact.id]), Fact.model("PersonLikes", [Fact.id]),
            ]
        ),
        (
            4,
            [
                Fact.model(
                    "Note",
                    [Fact.id, list("tags", of: "Tag", inverse: "notes"), list("marks", of: "Tag", inverse: "marked")]),
                Fact.model("Tag", [Fact.id, list("notes", of: "Note"), list("marked", of: "Note")]),
                Fact.model("NoteTag", [Fact.id]),
            ]
        ),
    ]

    private static func list(_ name: String, of target: String, inverse: String? = nil) -> PropertyFact {
        inverse.map { Fact.property(name, "[\(target)]", Fact.relationship(inverse: "\(target).\($0)")) }
            ?? Fact.property(name, "[\(target)]")
    }

    @Test("Each pair of lists has a model of its own, with two references", arguments: pairs.indices)
    func eachPairOfListsHasItsModel(_ index: Int) throws {
        let (count, models) = RelationshipTests.pairs[index]
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: Fact.sources(models))], namespace: "Toy")
        #expect(result.questions.map(\.code) == Array(repeating: .manyToMany, count: count))
        var ends: Set<[String]> = []
        for question in result.questions {
            let choice = question.choices[0]
            let words = choice.statement.components("\"")
            let (model, inverse) = (words[3], words[5])
            #expect(ends.insert([model, inverse]).inserted, "\(choice.statement)")
            #expect(!models.contains { $0.name == model })
            #expect(choice.needs.first == "Model(\"\(model)\") {")
            let references = choice.needs.filter { $0.contains("toOne:") }.map { $0.components("\"")[1] }
            #expect(Set(references).count == 2)
            #expect(choice.needs.contains("    Relationship(\"\(inverse)\", toOne: \"\(question.entity ?? "")\")"))
        }
        #expect(Set(ends.map { $0[0] }).count == (count + 1) / 2)
    }

    @Test func anInverseThatIsNotThereIsAskedFor() throws {
        #expect(
            try relationships(
                Fact.model("Trip", [Fact.id, Fact.property("days", "[Day]", Fact.relationship(inverse: "Day.tour"))]),
                Fact.model("Day", [Fact.id])) == ["ask missing-inverse Trip.days at Models.swift:2"])
    }
}
