import SourceFacts
import Testing

import struct SourceFacts.SourceLocation

@Suite struct PropertyTests {
    private func only(_ members: String) throws -> PropertyFact {
        let properties = try properties(members)
        try #require(properties.count == 1)
        return properties[0]
    }

    @Test func aStoredPropertyHasTypeAndValue() throws {
        let property = try only("  private(set) static nonisolated(unsafe) var `class`: Int = 1")
        #expect(property.name == "class")
        #expect(property.location == SourceLocation(file: "a.swift", line: 2))
        #expect(property.modifiers == ["private(set)", "static", "nonisolated(unsafe)"])
        #expect(property.type == named("Int"))
        #expect(property.value == .integer("1"))
        #expect(!property.isConstant)
        #expect(!property.isComputed)
    }

    @Test func typeAndValueMayBeMissing() throws {
        let property = try only("let a")
        #expect(property.isConstant)
        #expect(property.type == nil)
        #expect(property.value == nil)
        #expect(try only("lazy var a = 1").modifiers == ["lazy"])
    }

    @Test func severalInOneDeclarationAreSeveral() throws {
        let found = try properties("@A let a, b: Int, c = 2, d: Int? = 3, e: Bool")
        #expect(found.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(found.map(\.type) == [named("Int"), named("Int"), nil, .optional(named("Int")), named("Bool")])
        #expect(found.map(\.value) == [nil, nil, .integer("2"), .integer("3"), nil])
        #expect(found.allSatisfy { $0.attributes.map(\.name) == ["A"] })
    }

    @Test(arguments: [
        "{ 5 }", "{ return 5 }", "{ get { 5 } set { f(newValue) } }", "{ get { return 5 } }", "{ get throws { 5 } }",
    ])
    func aGetterOfOneExpressionIsAValue(body: String) throws {
        let property = try only("var a: Int \(body)")
        #expect(property.isComputed)
        #expect(property.value == .integer("5"))
    }

    @Test(arguments: [
        "{ f(); return 5 }", "{ let b = 5\nreturn b }", "{ get }", "{ get set }", "{ }", "{ _read { yield b } }",
    ])
    func anotherGetterIsNoValue(body: String) throws {
        let property = try only("var a: Int \(body)")
        #expect(property.isComputed)
        #expect(property.value == nil)
    }

    @Test func aGetterThatChoosesIsKeptAsText() throws {
        #expect(try only("var a: Int { if b { 1 } else { 2 } }").value == .other("if b { 1 } else { 2 }"))
    }

    @Test func observersMakeNothingComputed() throws {
        let property = try only("var a: Int = 1 { willSet { f() } didSet { g() } }")
        #expect(!property.isComputed)
        #expect(property.value == .integer("1"))
    }

    @Test func aTupleIsAProblem() {
        let facts = facts("struct S {\n  var a = 1\n  let (b, c) = (1, 2)\n}")
        #expect(facts.types.first?.properties.map(\.name) == ["a"])
        #expect(facts.problems.map(\.location.line) == [3])
        #expect(facts.problems.first?.message.contains("(b, c)") == true)
    }

    @Test func functionsAndSubscriptsAreNoProperties() throws {
        let type = try type("struct S { init() {}\n func f() { var a = 1 }\n subscript(i: Int) -> Int { 1 } }")
        #expect(type.properties == [])
    }
}
