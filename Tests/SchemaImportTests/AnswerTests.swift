import Foundation
import SourceFacts
import SyncTestSupport
import Testing
import WireFormats

@testable import SchemaImport

/// The first choice of each question: put in its place in the file, it compiles and makes the plan valid.
@Suite(.enabled(if: GeneratedProgram.isPlain, "the library was built with a sanitizer"))
struct AnswerTests {
    private static let kind = Fact.enumeration("Kind", "String", [("home", nil), ("away", nil)])

    /// Pairs of types, one of which can be read as the other.
    static let conversions = [
        ("Int", "Double"), ("Double", "Int"), ("Int?", "Double?"), ("Int?", "Double"), ("Int", "Double?"),
        ("Int", "Decimal"), ("Decimal", "Int"), ("Double", "Decimal"), ("Decimal", "Double"), ("Bool", "Int"),
        ("Int", "Bool"), ("Bool", "String"), ("String", "Bool"), ("Int", "String"), ("String", "Int"),
        ("Double", "String"), ("String", "Double"), ("Decimal", "String"), ("String", "Decimal"),
        ("Decimal?", "String"), ("String", "[String]"), ("[String]", "String"), ("Int?", "[Int]"), ("[Bool]?", "Bool"),
        ("Double", "[Double]"), ("Kind", "[Kind]"), ("[Kind]?", "Kind"),
    ]

    private func converted(_ index: Int) throws -> String {
        let (older, newer) = AnswerTests.conversions[index]
        func version(_ number: Int, _ type: String) -> TypeFact {
            Fact.version(
                "SchemaV\(number)", [number, 0, 0], line: number * 10,
                [Fact.model("Trip", [Fact.id, Fact.property("x", type)])])
        }
        var importer = SchemaImporter(app: "toy")
        let facts = Fact.sources([version(1, older), version(2, newer), AnswerTests.kind])
        let result = try importer.run([.init(facts: facts)], namespace: "Toy")
        let question = try #require(result.questions.first, "\(older) → \(newer)")
        #expect(result.questions.count == 1)
        let choice = question.choices[0]
        let types = result.versions.map { version in
            let attribute = version.schema.entity("Trip")?.attribute("x")
            return attribute.map { DeclarationCode.attribute($0).line } ?? ""
        }
        return """
            enum Case\(index) {
            \(choice.needs.joined(separator: "\n"))
            \(types.enumerated().map { number, attribute in
                """
                enum V\(number): VersionedSchema {
                    static let versionIdentifier = Schema.Version(\(number + 1), 0, 0)
                    static let models = Models { Model("Trip") { Identity("id"); \(attribute) } }
                }
                """
            }.joined(separator: "\n"))
            enum Toy: SchemaMigrationPlan {
                static let app = "toy\(index)"
                static let schemas: [any VersionedSchema.Type] = [V0.self, V1.self]
                static let stages: [MigrationStage] = [
                    .custom(fromVersion: V0.self, toVersion: V1.self) { \(choice.statement) }
                ]
            }
            }
            """
    }

    private func related(_ index: Int) throws -> String {
        var importer = SchemaImporter(app: "toy")
        let models = RelationshipTests.pairs[index].models
        let result = try importer.run([.init(facts: Fact.sources(models))], namespace: "Toy")
        let lists = Dictionary(grouping: result.questions) { $0.entity ?? "" }
        let declared = lists.map { name, questions in
            let statements = questions.map { $0.choices[0].statement }
            return "Model(\"\(name)\") {\n" + (["Identity(\"id\")"] + statements).joined(separator: "\n") + "\n}"
        }
        let between = Set(result.questions.map { $0.choices[0].needs.joined(separator: "\n") })
        return """
            enum Lists\(index) {
            enum V1: VersionedSchema {
                static let versionIdentifier = Schema.Version(1, 0, 0)
                static let models = Models {
            \((declared + between).joined(separator: "\n"))
                }
            }
            enum Toy: SchemaMigrationPlan {
                static let app = "lists\(index)"
                static let schemas: [any VersionedSchema.Type] = [V1.self]
                static let stages: [MigrationStage] = []
            }
            }
            """
    }

    @Test func whatIsOfferedFirstPutsThePlanInOrder() throws {
        let directory = try TemporaryDirectory()
        let folder = URL(filePath: directory.path)
        let seed = UInt64.random(in: 0 ... .max)
        var main = "import WireFormats\n"
        main += try AnswerTests.conversions.indices.map(converted).joined(separator: "\n")
        main += try "\n" + RelationshipTests.pairs.indices.map(related).joined(separator: "\n")
        let cases =
            AnswerTests.conversions.indices.map { "Case\($0)" } + RelationshipTests.pairs.indices.map { "Lists\($0)" }
        for name in cases {
            main += """

                do {
                    let report = await Laws.check(try Plan(\(name).Toy.self), cases: 100, seed: \(seed))
                    print(report.isLawful ? "\(name) in order" : "\(name): \\(report)")
                } catch { print("\(name): \\(error)") }
                """
        }
        try Data(main.utf8).write(to: folder.appending(path: "main.swift"))
        #expect(try GeneratedProgram.output(of: folder) == cases.map { "\($0) in order" }, "seed \(seed)")
    }
}
