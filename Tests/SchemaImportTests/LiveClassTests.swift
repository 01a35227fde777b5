import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Versions that list current classes: the shape of each is known only from the state in which it was the newest
/// version.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct LiveClassTests {
    struct Past: Sendable, CustomTestStringConvertible {
        let name: String
        let states: [String]
        let shapes: [String]
        var questions: [String] = []

        var testDescription: String { name }
    }

    private static func walk(_ names: String...) -> String { LiveSources.model("Walk", names) }
    private static func version(_ number: Int, _ models: String, _ types: String = "") -> String {
        LiveSources.version(number, models, types)
    }
    private static func plan(_ numbers: Int...) -> String { LiveSources.plan(numbers) }

    private static let three = ["1.0.0 Walk(id steps)", "2.0.0 Walk(id steps pace)", "3.0.0 Walk(id steps pace dog)"]
    private static let live = "[Walk.self]"

    static let pasts: [Past] = [
        Past(
            name: "each lists the class",
            states: [
                version(1, live) + walk("steps") + plan(1),
                version(1, live) + version(2, live) + walk("steps", "pace") + plan(1, 2),
                version(1, live) + version(2, live) + version(3, live) + walk("steps", "pace", "dog") + plan(1, 2, 3),
            ], shapes: three),
        Past(
            name: "each takes over the list before",
            states: [
                version(1, live) + walk("steps") + plan(1),
                version(1, live) + version(2, "SchemaV1.models") + walk("steps", "pace") + plan(1, 2),
                version(1, live) + version(2, "SchemaV1.models") + version(3, "SchemaV2.models")
                    + walk("steps", "pace", "dog") + plan(1, 2, 3),
            ], shapes: three),
        Past(
            name: "the list before and one more",
            states: [
                version(1, live) + walk("steps"),
                version(1, live) + version(2, "SchemaV1.models + [Stop.self]") + walk("steps", "pace")
                    + LiveSources.model("Stop", ["n"]),
            ], shapes: ["1.0.0 Walk(id steps)", "2.0.0 Walk(id steps pace) Stop(id n)"]),
        Past(
            name: "a list of lists elsewhere",
            states: [
                version(1, "Lists.all") + walk("steps") + "enum Lists { static let all = [Walk.self] }\n",
                version(1, "Lists.all") + version(2, "Lists.all") + walk("steps", "pace")
                    + "enum Lists { static let all = [Walk.self] }\n",
            ], shapes: Array(three.prefix(2))),
        Past(
            name: "a version that changes nothing",
            states: [
                version(1, live) + walk("steps"), version(1, live) + version(2, live) + walk("steps"),
                version(1, live) + version(2, live) + version(3, live) + walk("steps", "pace", "dog"),
            ], shapes: [three[0], "2.0.0 Walk(id steps)", three[2]]),
        Past(
            name: "older ones get copies, the newest has the class",
            states: [
                version(1, live) + walk("steps"),
                version(1, live, walk("steps")) + version(2, live) + walk("steps", "pace"),
                version(1, live, walk("steps")) + version(2, live) + version(3, live) + walk("steps", "pace", "dog"),
            ], shapes: three),
        Past(
            name: "a copy in the middle that does not get all",
            states: [
                version(1, live) + walk("steps"), version(1, live) + version(2, live) + walk("steps", "pace"),
                version(1, live) + version(2, live, walk("pace")) + version(3, live) + walk("steps", "pace", "dog"),
            ], shapes: three),
        Past(
            name: "the class stands in the newest version",
            states: [
                version(1, live, walk("steps")) + "typealias Walk = SchemaV1.Walk\n",
                version(1, live) + version(2, live, walk("steps", "pace")) + "typealias Walk = SchemaV2.Walk\n",
                version(1, live) + version(2, live) + version(3, live, walk("steps", "pace", "dog"))
                    + "typealias Walk = SchemaV3.Walk\n",
            ], shapes: three),
        Past(
            name: "a class of the first version that is changed where it stands",
            states: [
                version(1, live, walk("steps")),
                version(1, live, walk("steps", "pace")) + version(2, "SchemaV1.models"),
                version(1, live, walk("steps", "pace", "dog")) + version(2, "SchemaV1.models")
                    + version(3, "SchemaV2.models"),
            ], shapes: three),
        Past(
            name: "no plan, and before no version",
            states: [
                walk("steps"), version(2, live) + walk("steps", "pace"),
                version(2, live) + version(3, live) + walk("steps", "pace", "dog") + plan(2, 3),
            ], shapes: three),
        Past(
            name: "models without versions that became the first one",
            states: [
                walk("steps"), version(1, live) + version(2, live) + walk("steps", "pace") + plan(1, 2),
                version(1, live) + version(2, live) + version(3, live) + walk("steps", "pace", "dog") + plan(1, 2, 3),
            ], shapes: three),
        Past(
            name: "a version that a tag has, and its plan not yet",
            states: [
                version(1, live) + walk("steps") + plan(1),
                version(1, live) + version(2, live) + walk("steps") + plan(1),
                version(1, live) + version(2, live) + walk("steps", "pace") + plan(1, 2),
            ], shapes: Array(three.prefix(2))),
        Past(
            name: "a version that a later plan no longer has",
            states: [
                version(1, live) + walk("steps") + plan(1),
                version(1, live) + version(2, live) + walk("steps", "pace") + plan(1, 2),
                version(1, live) + version(2, live) + version(3, live) + walk("steps", "pace", "dog") + plan(2, 3),
            ], shapes: three),
        Past(
            name: "a plan that has only the newest version",
            states: [
                version(1, live) + walk("steps") + plan(1),
                version(1, live) + version(2, live) + walk("steps", "pace") + plan(2),
                version(1, live) + version(2, live) + version(3, "SchemaV2.models") + walk("steps", "pace", "dog")
                    + plan(3),
            ], shapes: three),
        Past(
            name: "two shapes that were both shipped",
            states: [
                version(1, live) + walk("steps"), version(1, live) + walk("steps", "cat"),
                version(1, live) + version(2, live) + walk("steps", "pace"),
            ], shapes: ["1.0.0 Walk(id steps cat)", "2.0.0 Walk(id steps pace)", "1.0.0? Walk(id steps)"]),
        Past(
            name: "tags that begin late",
            states: [
                version(1, live) + version(2, live) + walk("steps", "pace"),
                version(1, live) + version(2, live) + version(3, live) + walk("steps", "pace", "dog"),
            ],
            shapes: ["1.0.0 Walk(id steps pace)", three[1], three[2]], questions: ["shape 1.0.0"]),
        Past(
            name: "a class that another one leads to, and one above",
            states: [
                version(1, "[Walk.self, Hike.self]") + "@Model class Walk { var id = UUID(); var dog: Dog? }\n"
                    + LiveSources.model("Hike", ["peak"], above: "Walk") + LiveSources.model("Dog", ["age"]),
                version(1, "[Walk.self, Hike.self]") + version(2, "[Hike.self]")
                    + "@Model class Walk { var id = UUID(); var pace = 0; var dog: Dog? }\n"
                    + LiveSources.model("Hike", ["peak"], above: "Walk") + LiveSources.model("Dog", ["age", "size"]),
            ],
            shapes: [
                "1.0.0 Walk(id kind peak dog) Dog(id age)", "2.0.0 Walk(id kind peak pace dog) Dog(id age size)",
            ], questions: ["inheritance Walk.kind 1.0.0"]),
    ]

    /// Imports the states; the last one is also the current one.
    private func imported(_ states: [String]) throws -> ImportResult {
        let states = states.map { LiveSources.head + $0 }
        return try Corpus.imported(states: states, now: states.last ?? "")
    }

    @Test(arguments: pasts) func whatEachVersionWasIsInTheStateThatHadItAsItsNewest(_ past: Past) throws {
        let result = try imported(past.states)
        #expect(result.shapes == past.shapes)
        let asked = result.questionNames.filter {
            $0.hasPrefix("shape") || $0.hasPrefix("inh") || $0.hasPrefix("version")
        }
        #expect(asked == past.questions)
    }

    @Test(arguments: 1...40) func randomHistoriesAreReadAsTheyWere(seed: UInt64) throws {
        let history = RandomHistory(seed: seed)
        let result = try Corpus.imported(states: history.states, now: history.states.last ?? "")
        #expect(result.shapes == history.shapes, "seed \(seed)")
        #expect(result.questionNames.filter { $0.hasPrefix("shape") } == [], "seed \(seed)")
    }

    @Test("Without a history each older version without a class of its own raises a question", arguments: 1...40)
    func withoutHistoryEachIsAskedFor(seed: UInt64) throws {
        let history = RandomHistory(seed: seed)
        let result = try Corpus.imported(states: [], now: history.states.last ?? "")
        #expect(result.questionNames.filter { $0.hasPrefix("shape") } == history.unknown, "seed \(seed)")
        let open = result.files.filter { $0.text.contains("Undecided(\n                \"‘SchemaV") }.map(\.name)
        let named = history.unknown.map { "Toy+SchemaV\($0.dropFirst(6).prefix(1)).swift" }
        #expect(open == named, "seed \(seed)")
    }

    /// Each list is made of the one before; a list that repeats it twice would double sixty times.
    @Test(arguments: ["SchemaV#.models", "SchemaV#.models + [Extra.self]", "SchemaV#.models + SchemaV#.models"])
    func sixtyVersionsOfOneListHaveTheirModels(_ list: String) throws {
        let versions = (1...60).map { number in
            LiveSources.version(number, number == 1 ? "[Run.self]" : list.replacing("#", with: "\(number - 1)"))
        }
        let extra = list.contains("Extra") ? LiveSources.model("Extra", ["b"]) : ""
        let models = LiveSources.model("Run", ["a"]) + extra
        let result = try Corpus.imported(states: [], now: LiveSources.head + versions.joined() + models)
        #expect(result.versions.count == 60)
        #expect(result.versions.allSatisfy { $0.schema.entity("Run") != nil })
        #expect(result.questions.allSatisfy { $0.code == .shape })
        #expect(result.questions.count == 59)
    }

    @Test func theQuestionSaysWhatToDoNext() throws {
        let now = LiveClassTests.pasts[0].states[2]
        let asked = try Corpus.imported(states: [], now: LiveSources.head + now).questions
        #expect(asked.map(\.text.description).first?.contains("‘SchemaV1’ shares ‘Walk’ with a newer") == true)
        #expect(asked.map { $0.choices[0].statement } == ["--git", "--git"])
        #expect(asked.allSatisfy { $0.choices[1].text == "remove this: it was the same" })
        let late = try imported(LiveClassTests.pasts.first { $0.name == "tags that begin late" }?.states ?? [])
        #expect(late.questions.map { $0.choices[0].statement } == ["--commits FILE"])
    }

    @Test("Current cases in an older version's class are noted, and read from the history if there is one")
    func casesOfTodayAreNoted() throws {
        func state(_ cases: String, _ versions: ClosedRange<Int>) -> String {
            let classes = versions.map { number in
                LiveClassTests.version(
                    number, "[Walk.self]",
                    "@Model class Walk { var id = UUID(); var kinds: [Kind] = []; var a\(number) = 0 }\n")
            }
            return LiveSources.head + classes.joined() + "enum Kind: String, Codable { case \(cases) }\n"
        }
        let note = "1.0.0 to 2.0.0 have the cases of today of what no version declares, ‘Kind’: "
        let now = state("hill, wood, town", 1...3)
        let alone = try Corpus.imported(states: [], now: now)
        #expect(alone.notes.count { $0.hasPrefix(note) } == 1)
        let past = [state("hill", 1...1), state("hill, wood", 1...2), now]
        let result = try Corpus.imported(states: past, now: now)
        #expect(!result.notes.contains { $0.contains("cases of today") })
        let kinds = result.versions.map { $0.schema.entity("Walk")?.attribute("kinds")?.type }
        let cases = [["hill"], ["hill", "wood"], ["hill", "wood", "town"]]
        #expect(kinds == cases.map { .array(of: .enumeration("Kind", $0)) })
    }

    @Test("A class that an older version declares and a newer one takes over raises no question")
    func aClassThatIsTakenOverIsKnown() throws {
        let stop = LiveSources.model("Stop", ["n"])
        let result = try Corpus.imported(
            states: [],
            now: LiveSources.head
                + LiveClassTests.version(
                    1, "[Walk.self, Stop.self]", LiveSources.model("Walk", ["steps"]) + stop)
                + LiveClassTests.version(2, "[Walk.self, SchemaV1.Stop.self]", LiveSources.model("Walk", ["pace"]))
                + LiveClassTests.version(
                    3, "SchemaV2.models + [Dog.self]", LiveSources.model("Dog", ["age"])))
        #expect(result.questionNames.filter { $0.hasPrefix("shape") } == [])
    }
}
