import SourceFacts
import Testing

import struct SourceFacts.SourceLocation

@Suite struct AttributeTests {
    private func attributes(_ text: String) throws -> [AttributeFact] {
        try properties("\(text) var a: Int").flatMap(\.attributes)
    }

    @Test func optionsOfAnAttributeAreArguments() throws {
        let found = try attributes(#"@Attribute(.unique, .externalStorage, originalName: "x", hashModifier: "v2")"#)
        #expect(
            found.first?.arguments == [
                ArgumentFact(value: dot("unique")), ArgumentFact(value: dot("externalStorage")),
                ArgumentFact(label: "originalName", value: .string("x")),
                ArgumentFact(label: "hashModifier", value: .string("v2")),
            ])
    }

    @Test func aTransformerIsACall() throws {
        let found = try attributes("@Attribute(.transformable(by: Colors.self))")
        let call = ExpressionFact.call(
            function: ".transformable", arguments: [ArgumentFact(label: "by", value: metatype("Colors"))])
        #expect(found.first?.arguments == [ArgumentFact(value: call)])
    }

    @Test func aRelationshipHasRuleCountAndInverse() throws {
        let found = try attributes("\n@Relationship(deleteRule: .cascade, minimumModelCount: 0, inverse: \\Day.trip)")
        #expect(found.map(\.name) == ["Relationship"])
        #expect(found.first?.location == SourceLocation(file: "a.swift", line: 3))
        #expect(
            found.first?.arguments == [
                ArgumentFact(label: "deleteRule", value: dot("cascade")),
                ArgumentFact(label: "minimumModelCount", value: .integer("0")),
                ArgumentFact(label: "inverse", value: .keyPath("Day.trip")),
            ])
    }

    @Test func severalAttributesKeepTheirOrder() throws {
        let found = try attributes("@Transient @SwiftData.Attribute @Clamped<Int>(0...1)")
        #expect(found.map(\.name) == ["Transient", "SwiftData.Attribute", "Clamped<Int>"])
        #expect(found.map(\.arguments.count) == [0, 0, 1])
    }

    @Test func availabilityIsReadWithItsLabels() throws {
        let found = try attributes(
            #"@available(iOS 17.0, *) @available(*, deprecated: 2.1, message: "No.", renamed: "b")"#)
        #expect(found.first?.arguments == [ArgumentFact(value: .other("iOS 17.0")), ArgumentFact(value: .other("*"))])
        #expect(
            found.last?.arguments == [
                ArgumentFact(value: .other("*")), ArgumentFact(label: "deprecated", value: .other("2.1")),
                ArgumentFact(label: "message", value: .string("No.")),
                ArgumentFact(label: "renamed", value: .string("b")),
            ])
    }

    @Test func attributesWithinAConditionHaveIt() {
        let facts = facts("#if A\n@M\n#elseif B\n@N\n#endif\nstruct S {\n#if os(iOS)\n@A\n#endif\n@B var a: Int\n}")
        let type = facts.types.first
        #expect(type?.attributes.map(\.name) == ["M", "N"])
        #expect(type?.attributes.map(\.condition) == ["A", "not A and B"])
        #expect(type?.properties.first?.attributes.map(\.name) == ["A", "B"])
        #expect(type?.properties.first?.attributes.map(\.condition) == ["os(iOS)", nil])
        #expect(facts.problems.isEmpty)
    }
}
