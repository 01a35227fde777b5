import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Renaming identifiers (‘elementID’) in different versions.
@Suite struct ManagedRenamingTests {
    /// Versions with one or two attributes, and the names that each attribute has in the plan.
    static let histories: [(versions: [[(String, String?)]], names: [String], asked: [Question.Code])] = [
        ([[("a", nil)], [("b", "a")]], ["a>b"], []),
        // The identifier stays: nothing is renamed any more.
        ([[("a", nil)], [("b", "a")], [("b", "a")]], ["a>b", "b"], []),
        // The identifier of the first name, and that of the name before.
        ([[("a", nil)], [("b", "a")], [("c", "a")]], ["a>b", "b>c"], []),
        ([[("a", nil)], [("b", "a")], [("c", "b")]], ["a>b", "b>c"], []),
        // A version without the identifier means the same name.
        ([[("a", nil)], [("b", "a")], [("b", nil)]], ["a>b", "b"], []),
        // A return to the first name.
        ([[("a", nil)], [("b", "a")], [("a", nil)]], ["a>b", "b>a"], []),
        ([[("a", nil)], [("a", "a")]], ["a"], []), ([[("a", nil)], [("a", "z")]], ["a"], []),
        ([[("a", nil), ("x", nil)], [("b", "a"), ("x", nil)]], ["a>b x"], []),
        // An identifier that no earlier version has.
        ([[("a", nil)], [("a", nil), ("b", "z")]], ["a b"], [.originalName]),
        // A name that means something else now.
        ([[("a", nil), ("b", nil)], [("b", "a")]], ["b"], [.originalName]),
        ([[("a", nil), ("b", nil)], [("a", "b"), ("b", "a")]], ["a b"], [.originalName, .originalName]),
        ([[("a", nil)], [("a", nil), ("b", "a")]], ["a b"], [.originalName]),
    ]

    @Test(arguments: histories.indices) func anIdentifierTellsTheOldName(_ index: Int) throws {
        let (versions, names, asked) = ManagedRenamingTests.histories[index]
        let roots = versions.map { properties in
            Managed.model(
                Managed.entity(
                    "Item",
                    [Managed.id]
                        + properties.map {
                            Managed.attribute(
                                $0.0, "String",
                                ["optional": "YES"].merging($0.1.map { ["elementID": $0] } ?? [:]) { $1 })
                        }))
        }
        let documents = roots.enumerated().map { Managed.version("App \($0 + 1)", $1) }
        let result = try Managed.imported(documents + [Managed.current("App \(roots.count)")])
        let found = result.versions.dropFirst().map { version in
            (version.schema.entity("Item")?.attributes ?? [])
                .map { ($0.originalName.map { "\($0)>" } ?? "") + $0.name }.joined(separator: " ")
        }
        #expect(found == names)
        #expect(result.questions.map(\.code).filter { $0 == .originalName } == asked)
    }

    @Test func aRenamedEntityKeepsWhatLeadsToIt() throws {
        func versions(_ bed: String, _ others: [String: String]) -> ElementFact {
            Managed.model(
                Managed.entity(
                    bed, others,
                    [Managed.id, Managed.relationship("plants", "Plant", inverse: "bed", isMany: true)]),
                Managed.entity("Plant", [Managed.id, Managed.relationship("bed", bed, inverse: "plants")]))
        }
        let result = try Managed.imported(
            versions: versions("Bed", [:]), versions("Plot", ["elementID": "Bed"]),
            versions("Field", ["elementID": "Bed"]))
        #expect(result.questions == [])
        #expect(result.versions.map { $0.schema.entities[0].originalName } == [nil, "Bed", "Plot"])
        let text = try #require(result.files.first { $0.name == "Toy+SchemaV2.swift" }).text
        #expect(text.contains("Model(\"Plot\", originalName: \"Bed\")"))
    }

    @Test func relationshipsAndQuestionsFollow() throws {
        func version(_ list: String, _ color: String, _ others: [String: String], _ colors: [String: String])
            -> ElementFact
        {
            Managed.model(
                Managed.entity(
                    "Item",
                    [
                        Managed.id, Managed.relationship(list, "Owner", inverse: "items", others),
                        Managed.attribute(color, "Transformable", ["optional": "YES"].merging(colors) { $1 }),
                    ]),
                Managed.entity(
                    "Owner", [Managed.id, Managed.relationship("items", "Item", inverse: list, isMany: true)]))
        }
        let result = try Managed.imported(
            versions: version("owner", "color", [:], [:]),
            version("holder", "tint", ["elementID": "owner"], ["elementID": "color"]))
        #expect(result.versions[1].schema.entity("Item")?.relationships.map(\.originalName) == ["owner"])
        // The question is asked again for the new name, and its answer has the old one.
        let second = try #require(result.questions.last { $0.code == .type })
        #expect(second.choices[0].statement == "Attribute(\"tint\", .data.optional, originalName: \"color\")")
    }

    @Test(arguments: [
        ("Integer 16", "Integer 64", [Question.Code.type]), ("Integer 32", "Integer 32", []),
        ("Double", "Float", [.type]),
        ("String", "URI", [.type]), ("Integer 16", "Double", [.stage]),
    ])
    func aTypeThatHoldsOtherValuesIsAskedFor(_ older: String, _ newer: String, _ asked: [Question.Code]) throws {
        let result = try Managed.imported(
            versions: Managed.model(Managed.entity("Item", [Managed.id, Managed.attribute("n", older)])),
            Managed.model(Managed.entity("Item", [Managed.id, Managed.attribute("n", newer)])))
        #expect(result.questions.map(\.code) == asked)
    }
}
