import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// A source file with every supported construct, and the schema read from it.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct ConstructTests {
    @Test func everyValueIsRead() throws {
        let result = try Corpus.imported(["Constructs"], namespace: "Constructs")
        let values = try #require(result.versions[0].schema.entity("Values"))
        #expect(
            values.members.map(\.description).joined(separator: "\n") == """
                id: the record's id
                flag: Bool
                int: Int = 0
                int8: Int = 127
                int16: Int
                int32: Int
                int64: Int
                uint: Int
                uint8: Int
                double: Double = 0.5
                whole: Double = 2.0
                float: Double
                cgFloat: Double
                interval: Double = 0.0
                decimal: Decimal = 0
                price: Decimal = 19.99
                name: String = ""
                quoted: String = "a \\"b\\" \\\\ c"
                letter: String
                when: Date = the time of creation
                later: Date?
                moment: Date = the time of creation
                other: UUID = an id of its own
                bytes: Data
                link: String?
                tags: [String] = []
                numbers: [Int] = [1,2,3]
                colors: [String] = []
                grid: [[Double]] = []
                holes: [Int?] = []
                kind: enum Kind (home, work, gone) = "home"
                size: Int = 2
                style: Style
                mood: enum Mood (good, bad)?
                weights: [enum Kind (home, work, gone)] = []
                address: Address?
                box: Box<Int>?
                scores: [String: Int] = {}
                alias: String = "x"
                limit: Int = 12
                optional: String?
                long: Int?
                hidden: Int = 1
                readable: Int = 2
                observed: Int = 3
                picture: Data?
                secret: String?
                kept: String?
                code: String, unique
                recent: Int?
                default: Int?
                """)
    }

    @Test func everyQuestionIsAskedWhereItArises() throws {
        let result = try Corpus.imported(["Constructs"], namespace: "Constructs")
        let asked = result.questions.map { "\($0.code.rawValue) \($0.subject)" }
        #expect(
            asked.sorted() == [
                "condition Questions.phone", "identity Marked.identifier", "identity Named.id",
                "inheritance Vehicle.kind",
                "inverse Student.friends", "inverse Teacher.students",
                "many-to-many Course.students", "many-to-many Student.courses", "type Questions.color",
                "type Questions.name", "type Questions.nested", "type Questions.open", "type Questions.pair",
                "type Questions.price", "type Questions.untyped", "uniqueness Questions",
                "wrapper Questions.level", "wrapper Questions.slow",
            ])
        let text = try #require(result.files.first { $0.name == "Constructs+SchemaV1.swift" }).text
        for question in result.questions {
            #expect(question.place.wholeMatch(of: /\w+\.swift:\d+/) != nil)
            #expect(text.contains("at: \"\(question.place)\""), "\(question)")
            #expect(!question.choices.isEmpty)
        }
    }

    /// Whatever is removed from the sources changes the result, or removes a question or a note.
    @Test func nothingIsDroppedSilently() throws {
        let facts = try Corpus.facts("Constructs")
        func outcome(_ facts: SourceFacts) throws -> [String] {
            var importer = SchemaImporter(app: "constructs")
            let result = try importer.run([.init(facts: facts)], namespace: "Constructs")
            return result.versions[0].schema.entities.flatMap { entity in
                entity.members.map { "\(entity.name).\($0)" }
            } + result.questions.map(\.description) + result.notes
        }
        let whole = try outcome(facts)
        var tried = 0
        for type in facts.types.indices {
            guard facts.types[type].attributes.contains(where: { $0.name == "Model" }) else { continue }
            for property in facts.types[type].properties.indices {
                let fact = facts.types[type].properties[property]
                guard !fact.isComputed, !fact.modifiers.contains("static") else { continue }
                var changed = facts
                changed.types[type].properties.remove(at: property)
                #expect(try outcome(changed) != whole, "\(facts.types[type].name).\(fact.name)")
                tried += 1
            }
        }
        #expect(tried > 80)
    }
}
