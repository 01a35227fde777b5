import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Unique attributes as apps declare them: with an initial value.
@Suite struct KeyTests {
    private static let kind = Fact.enumeration("Kind", "String", [("home", nil)])

    /// Types with an initial value, and true if a server can distinguish two of the values.
    static let keys: [(type: String, value: ExpressionFact?, isDistinct: Bool)] = [
        ("Int", .integer("0"), true), ("String", .string(""), true),
        ("Date", .call(function: "Date", arguments: []), true),
        ("Decimal", .integer("0"), true), ("Bool", .bool(false), true), ("Kind", Fact.implicit("home"), true),
        ("Data", .call(function: "Data", arguments: []), true), ("UUID", .call(function: "UUID", arguments: []), true),
        ("String", .other("UUID().uuidString"), true), ("Int?", .null, true), ("Int?", .integer("3"), true),
        ("String", nil, true), ("UUID", .call(function: "make", arguments: []), true),
        ("Double", .integer("0"), false), ("[Int]", .array([]), false), ("[String: Int]", .dictionary([]), false),
        ("Double", nil, false),
    ]

    private func trip(_ key: (type: String, value: ExpressionFact?, isDistinct: Bool), byMacro: Bool) -> TypeFact {
        let macro = MacroFact(
            name: "Unique", arguments: [ArgumentFact(value: .array([.keyPath("Trip.key")]))], location: Fact.at(9))
        let property =
            byMacro
            ? Fact.property("key", key.type, key.value, line: 7)
            : Fact.property("key", key.type, key.value, line: 7, Fact.attribute(["unique"]))
        return Fact.model("Trip", macros: byMacro ? [macro] : [], [Fact.id, property])
    }

    @Test("The first version raises no question, and its plan is valid", arguments: keys.indices, [false, true])
    func aKeyHasNoDefault(_ index: Int, byMacro: Bool) throws {
        let key = KeyTests.keys[index]
        let facts = Fact.sources([trip(key, byMacro: byMacro), KeyTests.kind])
        let draft = try #require(SourceHistory([.init(facts: facts)]).versions.last?.draft)
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: facts)], namespace: "Toy")
        let schema = try #require(result.versions.first?.schema)
        let attribute = try #require(schema.entity("Trip")?.attribute("key"))
        #expect(attribute.isUnique == key.isDistinct)
        #expect(result.questions.map(\.code) == (key.isDistinct ? [] : [.uniqueness]))
        #expect(!key.isDistinct || attribute.default == nil || attribute.default == .newID)
        #expect(schema.problems.isEmpty, "\(schema.problems)")
        #expect(DriftCheck(draft, against: schema).drifts.isEmpty)
    }

    /// The answer is accepted both by the plan's check and by the comparison with the sources.
    @Test("A new key can be answered", arguments: keys.indices, [false, true])
    func aNewKeyCanBeAnswered(_ index: Int, byMacro: Bool) throws {
        let key = KeyTests.keys[index]
        let versions = [
            Fact.version("SchemaV1", [1, 0, 0], [Fact.model("Trip", [Fact.id])]),
            Fact.version("SchemaV2", [2, 0, 0], line: 20, [trip(key, byMacro: byMacro)]),
        ]
        let facts = Fact.sources(versions + [KeyTests.kind])
        let draft = try #require(SourceHistory([.init(facts: facts)]).versions.last?.draft)
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: facts)], namespace: "Toy")
        let (older, newer) = (result.versions[0].schema, result.versions[1].schema)
        let attribute = try #require(newer.entity("Trip")?.attribute("key"))
        let asked = result.questions.filter { $0.code != .uniqueness }
        for choice in asked.first?.choices ?? [] where choice.statement.hasPrefix("Attribute(") {
            #expect(!key.isDistinct || !choice.statement.contains("default:") || choice.statement.contains(".newID"))
            #expect(choice.statement.contains(".unique") == key.isDistinct)
        }
        // Without a value for older records the plan's own check asks, too; this test is about the choices.
        let needsAnswer = !attribute.type.isOptional && attribute.default == nil
        #expect(needsAnswer == !asked.isEmpty, "\(asked)")
        let isID = attribute.type == .uuid
        let answer =
            !needsAnswer
            ? attribute
            : isID
                ? attribute.with(default: .some(.newID))
                : attribute.with(type: attribute.type.optional)
        let decided = Schema(
            version: newer.version,
            entities: newer.entities.map { $0.with(attributes: $0.attributes.map { $0.name == "key" ? answer : $0 }) })
        #expect(decided.problems.isEmpty, "\(decided.problems)")
        #expect(older.problems(inStageTo: decided).isEmpty)
        // A class without an initial value has no value for null, and becomes optional with the plan.
        if key.value != nil { #expect(DriftCheck(draft, against: decided).drifts.isEmpty) }
    }
}
