import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// What leads from model to model.
@Suite struct RelationshipTests {
    private func relationships(_ types: TypeFact...) throws -> [String] {
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
        let members = result.versions[0].schema.entities.flatMap { entity in
            entity.members.filter { $0.type.contains("→") }.map { "\(entity.name).\($0)" }
        }
        return members + result.decisions.map { "ask \($0.code.rawValue) \($0.subject) at \($0.place)" }
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
        #expect(found.decisions.map(\.code) == [.manyToMany, .manyToMany])
        #expect(found.decisions[0].choices[0].statement.contains("toMany: \"CourseStudent\""))
        #expect(found.versions[0].schema.entities.allSatisfy { $0.relationships.isEmpty })
        #expect(found.versions[0].schema.problems.isEmpty)
    }

    @Test func anInverseThatIsNotThereIsAskedFor() throws {
        #expect(
            try relationships(
                Fact.model("Trip", [Fact.id, Fact.property("days", "[Day]", Fact.relationship(inverse: "Day.tour"))]),
                Fact.model("Day", [Fact.id])) == ["ask missing-inverse Trip.days at Models.swift:2"])
    }

    @Test func aSubclassHasWhatItsClassHasAndIsAskedFor() throws {
        let result = try Imports.new(
            Fact.model("Vehicle", [Fact.id, Fact.property("wheels", "Int"), Fact.property("trips", "[Trip]")]),
            Fact.model("Car", line: 5, inherits: ["Vehicle"], [Fact.property("doors", "Int")]),
            Fact.model("Trip", [Fact.id, Fact.property("vehicle", "Vehicle?")]))
        #expect(result.versions[0].schema.entity("Car")?.members.map(\.name) == ["id", "wheels", "doors"])
        #expect(result.decisions.map { "\($0.code) \($0.subject)" } == ["inheritance Car"])
        #expect(result.notes.contains { $0.contains("Car.trips: left out") })
    }
}
