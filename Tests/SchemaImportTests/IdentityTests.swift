import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// The identity of a model's records, and their unique attributes.
@Suite struct IdentityTests {
    @Test func anIdIsTheRecordsOwn() throws {
        for property in [
            Fact.id, Fact.property("id", "UUID", Fact.attribute(["unique"])),
            Fact.property("id", nil, .call(function: "UUID", arguments: [])),
        ] {
            let result = try Imports.new(Fact.model("Trip", [property]))
            #expect(result.versions[0].schema.entity("Trip")?.identity == "id")
            #expect(result.versions[0].schema.entity("Trip")?.identityType == .uuid)
            #expect(result.versions[0].schema.entity("Trip")?.attributes.isEmpty == true)
            #expect(result.questions.isEmpty)
        }
    }

    @Test func anIdMayBeAText() throws {
        for property in [
            Fact.property("id", "String"), Fact.property("id", "String", Fact.attribute(["unique"])),
            Fact.property("id", "String", .other("UUID().uuidString")),
        ] {
            let result = try Imports.new(Fact.model("Trip", [property]))
            #expect(result.versions[0].schema.entity("Trip")?.identity == "id")
            #expect(result.versions[0].schema.entity("Trip")?.identityType == .string)
            #expect(result.versions[0].schema.entity("Trip")?.attributes.isEmpty == true)
            #expect(result.questions.isEmpty)
        }
    }

    @Test(arguments: [
        [Fact.property("id", "String?")], [Fact.property("id", "UUID?")], [Fact.property("id", "Int")],
        [Fact.property("key", "UUID", Fact.attribute(["unique"]))],
    ])
    func withoutOneItIsAskedFor(_ properties: [PropertyFact]) throws {
        let result = try Imports.new(Fact.model("Trip", properties))
        #expect(result.questions.map(\.code) == [.identity])
        #expect(result.versions[0].schema.entity("Trip")?.identity == nil)
    }

    @Test func withoutAnIdEachDeviceGivesOne() throws {
        let result = try Imports.new(Fact.model("Trip", [Fact.property("name", "String")]))
        #expect(result.questions.isEmpty)
        #expect(result.notes.map { $0.hasPrefix("Models.swift:1: Trip: without an ‘id: UUID’") } == [true])
    }

    @Test func severalOfWhichOneIsUniqueAreNoQuestion() throws {
        let keys: [ExpressionFact] = [
            .array([.keyPath("Trip.code"), .keyPath("Trip.day")]), .array([.keyPath("Trip.id"), .keyPath("Trip.day")]),
            .array([]),
        ]
        let macro = MacroFact(name: "Unique", arguments: keys.map { ArgumentFact(value: $0) }, location: Fact.at(9))
        let result = try Imports.new(
            Fact.model(
                "Trip", macros: [macro],
                [Fact.id, Fact.property("code", "String", Fact.attribute(["unique"])), Fact.property("day", "Date")]))
        #expect(result.questions.isEmpty)
        #expect(result.notes.count == 2)
    }

    @Test func whatIsUniqueIsSoByItsAttributeOrByAMacro() throws {
        let macro = MacroFact(
            name: "Unique", arguments: [ArgumentFact(value: .array([.keyPath("Trip.code")]))], location: Fact.at(9))
        let result = try Imports.new(
            Fact.model(
                "Trip", macros: [macro],
                [Fact.id, Fact.property("code", "String"), Fact.property("mark", "String", Fact.attribute(["unique"]))])
        )
        #expect(result.versions[0].schema.entity("Trip")?.attributes.map(\.isUnique) == [true, true])
        #expect(result.questions.isEmpty)
    }

    @Test func severalThatAreUniqueTogetherAreAskedFor() throws {
        let macro = MacroFact(
            name: "Unique", arguments: [ArgumentFact(value: .array([.keyPath("Trip.day"), .keyPath("Trip.place")]))],
            location: Fact.at(9))
        let index = MacroFact(
            name: "Index", arguments: [ArgumentFact(value: .array([.keyPath("Trip.day")]))], location: Fact.at(10))
        let result = try Imports.new(
            Fact.model(
                "Trip", macros: [macro, index],
                [Fact.id, Fact.property("day", "Date"), Fact.property("place", "String")]))
        #expect(result.questions.map(\.code) == [.uniqueness])
        #expect(result.questions.map(\.place) == ["Models.swift:9"])
        #expect(result.notes == ["Models.swift:10: Trip: ‘#Index’ has no effect here"])
    }

    @Test func anInitialValueIsNobodysKey() throws {
        let property = Fact.property("code", "String", .string(""), line: 7, Fact.attribute(["unique"]))
        let result = try Imports.new(Fact.model("Trip", [Fact.id, property]))
        #expect(result.questions.isEmpty)
        #expect(result.versions[0].schema.entity("Trip")?.attribute("code")?.default == nil)
        #expect(
            result.notes == [
                "Models.swift:7: Trip.code: its initial value is no default of a key, and needs none: every device "
                    + "states the value itself"
            ])
    }
}
