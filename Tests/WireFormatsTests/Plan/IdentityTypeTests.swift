import Testing

@testable import WireFormats

/// The types of an entity's ids in different versions.
@Suite struct IdentityTypeTests {
    private static let texts: @Sendable () -> Models = {
        Models {
            Model("Shelf") {
                Identity("id", .string)
                Attribute("name", .string)
            }
            Model("Book") {
                Identity("id")
                Relationship("shelf", toOne: "Shelf")
            }
        }
    }

    @Test func withoutAWordTheyAreUUIDs() throws {
        let plan = try Toy.plan({ Models { Model("A") { Identity("id") } } })
        #expect(plan.schemas[0].entities[0].identityType == .uuid)
        #expect(!plan.hub.hasTextIDs)
    }

    @Test func whatAVersionInheritsItNeedNotSayAgain() throws {
        let plan = try Toy.plan(
            Self.texts,
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("Rack", originalName: "Shelf") { Attribute("note", .string.optional) }
                }
            })
        #expect(plan.projections.map { $0[0]?.identityType } == [.string, .string])
        #expect(plan.hub.entities.map(\.hasTextIDs) == [true, false])
    }

    @Test func aReferenceTravelsAsItsTargetsIDs() throws {
        let plan = try Toy.plan(Self.texts)
        let book = try #require(plan.projection(version: 0, named: "Book"))
        #expect(book.identityType == .uuid && book.hasTextIDs && book.textReferences == [0])
        #expect(book.fields[0].wireType == .string.optional && book.fields[0].type == .reference(to: "Shelf"))
    }

    @Test func aUUIDMayBecomeAString() throws {
        let plan = try Toy.plan(
            { Models { Model("Shelf") { Identity("id") } } },
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("Shelf") { Identity("id", .string) }
                }
            })
        #expect(plan.projections.map { $0[0]?.identityType } == [.uuid, .string])
        #expect(plan.hub.entities[0].hasTextIDs)
    }

    @Test func aStringBecomesNoUUID() {
        let problems = Toy.problems(
            Self.texts,
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("Shelf") { Identity("id") }
                }
            })
        expectOnly(
            .changedIdentity, problems, saying: "Shelf, 0.0.1 → 0.0.2", "was a String and is a UUID",
            "`Identity(\"id\", .string)`")
    }
}
