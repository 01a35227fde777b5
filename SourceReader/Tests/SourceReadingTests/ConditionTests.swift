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
}
