import SourceFacts
import Testing

@Suite struct ConditionTests {
    private let text = """
        #if os(iOS)
        struct A { var a: Int }
        #elseif DEBUG || TEST
        struct B {}
        #else
        struct C {}
        #if canImport(UIKit) && swift(>=6)
        struct D {}
        #else
        struct E {}
        #endif
        #endif
        """

    @Test func typesHaveTheConditionsAroundThem() {
        let facts = facts(text)
        #expect(facts.problems == [])
        #expect(facts.types.map(\.name) == ["A", "B", "C", "D", "E"])
        let outer = "not os(iOS) and not (DEBUG || TEST)"
        #expect(
            facts.types.map(\.condition) == [
                "os(iOS)", "not os(iOS) and (DEBUG || TEST)", outer, outer + " and canImport(UIKit) && swift(>=6)",
                outer + " and not (canImport(UIKit) && swift(>=6))",
            ])
        #expect(facts.types[0].properties.map(\.condition) == [nil])
    }

    @Test func membersOfAllKindsHaveTheirCondition() throws {
        let type = try type(
            "enum A {\n#if DEBUG\ncase a\nvar b: Int { 1 }\n#Index()\nstruct C {}\n#else\ncase d\n#endif\ncase e\n}"
        )
        #expect(type.cases.map(\.condition) == ["DEBUG", "not DEBUG", nil])
        #expect(type.properties.map(\.condition) == ["DEBUG"])
        #expect(type.macros.map(\.condition) == ["DEBUG"])
        #expect(type.types.map(\.condition) == ["DEBUG"])
    }

    @Test func alternativesWithinAConditionKeepTheirBrackets() throws {
        let type = try type("struct A {\n#if A || B\n#if C\nvar c: Int\n#endif\nvar a: Int\n#endif\n}")
        #expect(type.properties.map(\.condition) == ["(A || B) and C", "A || B"])
    }

    @Test func emptyClausesAreNothing() throws {
        #expect(try type("#if A\n#else\n#endif\nstruct S {\n#if A\n#endif\n}").condition == nil)
    }

    /// The result is as if the `#if` were around the property.
    @Test(arguments: [
        "static var all: [T] {\n#if A\n[X.self]\n#else\n[Y.self]\n#endif\n}",
        "static var all: [T] {\nget {\n#if A\nreturn [X.self]\n#else\nreturn [Y.self]\n#endif\n}\n}",
        "static let all: [T] = {\n#if A\nreturn [X.self]\n#else\nreturn [Y.self]\n#endif\n}()",
        "var all: [T] {\n#if A\n[X.self]\n#else\n[Y.self]\n#endif\n}",
    ])
    func aBodyThatIsAConditionIsAPropertyForEachClause(_ text: String) throws {
        let properties = try properties(text)
        #expect(properties.map(\.name) == ["all", "all"])
        #expect(properties.map(\.value) == [.array([metatype("X")]), .array([metatype("Y")])])
        #expect(properties.map(\.condition) == ["A", "not A"])
    }

    @Test func conditionsInABodyMayLieInOneAnother() throws {
        let properties = try properties(
            "#if B\nvar all: [T] {\n#if A\n[X.self]\n#elseif C\n#if D\n[Y.self]\n#endif\n#else\nf()\ng()\n#endif\n}\n"
                + "#endif")
        #expect(properties.map(\.condition) == ["B and A", "B and not A and C and D", "B and not A and not C"])
        #expect(properties.map(\.value) == [.array([metatype("X")]), .array([metatype("Y")]), nil])
    }

    @Test func whatAClosureMakesOfAStoredPropertyIsItsText() throws {
        let properties = try properties("var all: Int = {\n#if A\n1\n#else\n2\n#endif\n}()")
        #expect(properties.map(\.condition) == [nil])
        guard case .other = properties[0].value else {
            Issue.record("\(String(describing: properties[0].value))")
            return
        }
    }
}
