import SourceFacts
import Testing

@Suite struct CommentTests {
    @Test(arguments: [
        ("/// One.\n///  Two.\n///\n/// Three.", "One.\n Two.\n\nThree."), ("// One.\n//Two.", "One.\nTwo."),
        ("/* One. */", "One."), ("/** One. */", "One."), ("/*\n   One.\n     Two.\n */", "One.\n  Two."),
        ("/**\n * One.\n *  Two.\n */", "One.\n Two."), ("// Not.\n\n/// One.", "One."), ("//// One.", "One."),
        ("// One.\r\n/* Two. */", "One.\nTwo."), ("// One.   ", "One."),
    ])
    func aCommentRightBeforeIsReadWithoutItsMarks(comment: String, expected: String) throws {
        #expect(try properties("\(comment)\nvar a: Int").first?.comment == expected)
        #expect(try type("import A\n\(comment)\n@Model final class A {}").comment == expected)
        #expect(try type("\(comment)\nstruct A {}").comment == expected)
    }

    @Test(arguments: ["// Not.\n\nvar a: Int", "var b: Int // Not.\nvar a: Int", "func f() {} /* Not. */\nvar a: Int"])
    func anotherCommentIsNone(members: String) throws {
        #expect(try properties(members).last?.comment == nil)
        #expect(try type("struct A { // Not.\nvar a: Int }").properties.first?.comment == nil)
    }

    @Test func commentsAmongAttributesCount() throws {
        let property = try properties("// One.\n@A // Not.\n// Two.\n@B\n// Three.\nprivate\n// Four.\nvar a: Int")
            .first
        #expect(property?.comment == "One.\nTwo.\nThree.\nFour.")
        #expect(property?.location.line == 9)
    }
}
