import Testing

@testable import WireFormats

/// Changes that look like an undeclared renaming, and changes that do not.
@Suite struct SimilarityTests {
    private static func attribute(_ name: String, _ type: AttributeType = .string.optional) -> Models {
        Models {
            Model("A") {
                Attribute("kept", .int); Attribute(name, type)
            }
        }
    }

    @Test(
        "An attribute whose name differs only in form is not a new one",
        arguments: [
            ("note", "notes"), ("category", "categories"), ("address", "addresses"), ("box", "boxes"),
            ("colour", "color"), ("desc", "description"), ("recieved", "received"), ("URLString", "url"),
            ("photo", "photoData"),
        ])
    func anotherFormOfANameIsAmbiguous(older: String, newer: String) {
        for (before, after) in [(older, newer), (newer, older)] {
            let problems = Toy.problems({ Self.attribute(before) }, { Self.attribute(after) })
            expectOnly(.ambiguous, problems, saying: "A.\(before)", "A.\(after)", "originalName: \"\(before)\"")
        }
    }

    @Test func aPluralIsAmbiguousWhateverItsType() {
        let problems = Toy.problems({ Self.attribute("note") }, { Self.attribute("notes", .int.optional) })
        expectOnly(.ambiguous, problems, saying: "A.note", "A.notes")
    }

    @Test(arguments: [("note", "price"), ("as", "us"), ("createdAt", "shownAt"), ("mood", "rating"), ("bus", "bug")])
    func anotherNameIsAnotherAttribute(older: String, newer: String) {
        let problems = Toy.problems({ Self.attribute(older) }, { Self.attribute(newer) })
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test func theSameWordWithAnotherTypeIsAnotherAttribute() {
        let problems = Toy.problems({ Self.attribute("startDate") }, { Self.attribute("startOffset", .int.optional) })
        #expect(problems.isEmpty, "\(problems)")
    }

    @Test("A property at the position of a removed one of its type replaced it, whatever its name")
    func whatTakesThePlaceIsAmbiguous() {
        @Sendable func models(_ name: String, _ type: AttributeType = .string.optional) -> Models {
            Models {
                Model("A") {
                    Attribute("first", .int); Attribute(name, type); Attribute("last", .int)
                }
            }
        }
        expectOnly(
            .ambiguous, Toy.problems({ models("title") }, { models("headline") }), saying: "A.title", "A.headline")
        #expect(Toy.problems({ models("title") }, { models("headline", .int.optional) }).isEmpty)
    }

    @Test func anEntityInThePluralIsAmbiguousThoughItsAttributesAreOthers() {
        let problems = Toy.problems(
            { Models { Model("Meal") { Attribute("eaten", .bool) } } },
            { Models { Model("Meals") { Attribute("count", .int) } } })
        expectOnly(.ambiguous, problems, saying: "Meal and Meals")
    }
}
