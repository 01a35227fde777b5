import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Declarations that are common in apps and have only one meaning: they are read, and at most noted.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct EverydayTests {
    @Test func whatHasOneMeaningIsReadWithoutAQuestion() throws {
        let result = try Corpus.imported(["Everyday"], namespace: "Everyday")
        let members = result.versions[0].schema.entities.flatMap { entity in
            entity.members.map { "\(entity.name).\($0)" }
        }
        #expect(
            members.joined(separator: "\n") == """
                Garden.id: the record's id
                Garden.planted: Date
                Garden.label: String = "bed"
                Garden.moodRaw: String = "very_wild"
                Garden.usualRaw: String = "calm"
                Garden.levelRaw: Int = 2
                Garden.visited: Date = the time of creation
                Garden.pause: Double = 1500.0
                Garden.day: Int = 86400
                Garden.third: Double = 0.3333333333333333
                Garden.goal: Int = 30
                Garden.names: [String: Int] = {"a":1,"b":2}
                Garden.counts: [Int] = [0,0,0]
                Garden.moods: [enum Mood (calm, very_wild)] = ["calm","very_wild"]
                Garden.chosen: [enum Mood (calm, very_wild)] = ["calm","very_wild"]
                Garden.bytes: Data
                Garden.token: String
                Garden.shape: Shape?
                Garden.size: Size?
                Garden.days: Weekdays?
                Garden.place: CLLocationCoordinate2D?
                Garden.zone: TimeZone?
                Garden.weight: Measurement<UnitMass>?
                Garden.range: ClosedRange<Int>?
                Garden.old: Date
                Garden.made: String
                Garden.next: Int
                Garden.begun: Date
                Garden.starts: Date
                Garden.beds: [→Bed], cascade, inverse garden
                Bed.code: String?, unique
                Bed.garden: →Garden?, inverse beds
                """)
        #expect(result.questions.isEmpty, "\(result.questions)")
        #expect(result.versions[0].schema.problems.isEmpty)
    }

    @Test func whatWasAnsweredByARuleIsNoted() throws {
        let notes = try Corpus.imported(["Everyday"], namespace: "Everyday").notes
        for name in ["Garden.token", "Garden.old", "Garden.made", "Garden.next", "Garden.begun", "Garden.starts"] {
            #expect(
                notes.contains { $0.contains("\(name): its initial value is none that a plan can state") }, "\(name)")
        }
        #expect(notes.contains { $0.hasSuffix("Garden.planted: a ‘let’, and stored and synced like the others") })
        #expect(notes.contains { $0.hasSuffix("Garden.zone: it travels as the JSON that the app makes of it") })
        #expect(notes.contains { $0.contains(": Bed: without an ‘id: UUID’") })
        #expect(notes.contains { $0.hasSuffix("no two have the same id, label together, as no two have the same id") })
        #expect(notes.contains { $0.hasSuffix("‘@Attribute’ is there only under ‘#if os(iOS)’, and was read") })
    }

    @Test(
        arguments: [
            ("60 * 60 * 24", 86400, 86400), ("7/2", 3, 3.5), ("-(2 + 3) * 4", -20, -20), ("1_000 * 2", 2000, 2000),
            ("2 - 3 - 4", -5, -5), ("1.5 * 2", nil, 3), ("1e3 / 4", nil, 250), ("9223372036854775807 + 1", nil, 9.3e18),
        ] as [(String, Int64?, Double)])
    func numbersAreComputed(_ text: String, _ integer: Int64?, _ double: Double) throws {
        let numbers = try #require(Arithmetic(text))
        #expect(numbers.integer == integer)
        let found = try #require(numbers.double)
        #expect(abs(found - double) <= abs(double) / 100)
    }

    @Test(arguments: ["5", "a * 2", "1 / 0", "2 *", "(1 + 2", "1 + 2)", "", "e", "2 ** 3", "Int(2) * 3", "1.2.3 + 1"])
    func whatIsNoNumbersIsLeft(_ text: String) { #expect(Arithmetic(text) == nil) }
}
