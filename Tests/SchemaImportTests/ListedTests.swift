import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Lists of models, versions and stages that depend on an `#if`, and versions that no plan has.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct ListedTests {
    private static let models =
        LiveSources.model("Item", ["a"]) + LiveSources.model("Photo", ["n"])
        + LiveSources.model("Map", ["x"])

    private func imported(_ text: String) throws -> ImportResult {
        try Corpus.imported(states: [], now: LiveSources.head + text)
    }

    private func version(_ list: String, _ number: Int = 1, _ types: String = models) -> String {
        """
        enum SchemaV\(number): VersionedSchema {
            static let versionIdentifier = Schema.Version(\(number), 0, 0)
        \(list)
        \(types)
        }

        """
    }

    // MARK: Models

    /// Every form in which a list can depend on an `#if`, with the expected questions.
    private static let lists: [(text: String, asked: [String])] = [
        (
            "static var models: [M] {\n#if os(watchOS)\n[Item.self]\n#else\n[Item.self, Photo.self]\n#endif\n}",
            ["Photo: not os(watchOS)"]
        ),
        (
            "static var models: [M] {\n#if A\nreturn [Item.self]\n#elseif B\nreturn [Photo.self]\n#else\n"
                + "return [Item.self, Photo.self]\n#endif\n}",
            ["Item: A or not A and not B", "Photo: not A and B or not A and not B"]
        ),
        (
            "#if A\nstatic var models: [M] { [Item.self] }\n#else\nstatic var models: [M] { [Item.self, Map.self] }\n"
                + "#endif",
            ["Map: not A"]
        ),
        (
            "static let models: [M] = {\n#if A\nreturn [Item.self, Photo.self]\n#else\nreturn [Item.self]\n#endif\n}()",
            ["Photo: A"]
        ),
        (
            "static var models: [M] { base + more }\nstatic let base: [M] = [Item.self]\n"
                + "#if A\nstatic let more: [M] = [Photo.self]\n#else\nstatic let more: [M] = []\n#endif", ["Photo: A"]
        ),
        (
            "static var models: [M] {\n#if A\n#if B\n[Item.self, Map.self]\n#else\n[Item.self]\n#endif\n#else\n"
                + "[Item.self]\n#endif\n}",
            ["Map: A and B"]
        ),
        ("static var models: [M] {\n#if A\n[Item.self, Photo.self]\n#else\n[Photo.self, Item.self]\n#endif\n}", []),
        (
            "static var models: [M] { base + more + [Photo.self] }\nstatic let base: [M] = [Item.self]\n"
                + "#if A\nstatic let more: [M] = [Photo.self, Map.self]\n#else\nstatic let more: [M] = []\n#endif",
            ["Map: A"]
        ),
        (
            "static var models: [M] {\n#if canImport(SwiftData)\n[Item.self, Photo.self]\n#else\n[]\n#endif\n}",
            []
        ),
    ]

    @Test(arguments: lists.indices) func aModelThatIsListedUnderAConditionIsAskedFor(_ index: Int) throws {
        let (text, asked) = ListedTests.lists[index]
        let result = try imported(version(text))
        #expect(
            result.questions.map(\.text)
                == asked.map { line in
                    let parts = line.split(separator: ":").map(String.init)
                    return "‘SchemaV1’ lists ‘\(parts[0])’ only under ‘#if\(parts[1])’: is it synced?"
                })
        #expect(result.versions[0].schema.entity("Item") != nil)
        #expect(result.questions.allSatisfy { result.versions[0].schema.entity($0.subject) != nil })
    }

    @Test func eachVersionIsAskedForItsOwnList() throws {
        let list = ListedTests.lists[0].text
        let result = try imported(version(list) + version(list, 2))
        #expect(result.questionNames == ["condition Photo 1.0.0", "condition Photo 2.0.0"])
        #expect(result.shapes.map { $0.dropFirst(6) } == ["Item(id a) Photo(id n)", "Item(id a) Photo(id n)"])
        // A list made from another one has that list's conditions.
        let taken = try imported(version(list) + version("static var models: [M] { SchemaV1.models }", 2, ""))
        #expect(
            taken.questionNames.filter { $0.hasPrefix("cond") } == ["condition Photo 1.0.0", "condition Photo 2.0.0"])
    }

    /// A list without models is always reported, and questions contain no lines of code.
    @Test(arguments: [
        "static var models: [M] {\nvar list: [M] = [Item.self]\n#if A\nlist.append(Photo.self)\n#endif\nreturn list\n}",
        "static var models: [M] {\n#if A\nlet some = 1\nreturn [Item.self]\n#else\nreturn [Photo.self]\n#endif\n}",
        "static var models: [M] {\n#if A\n[Item.self]\n#else\nfatalError(\"no\")\n#endif\n}",
        "static let models: [M] = {\nvar list: [M] = [Item.self]\nlist.append(Photo.self)\nreturn list\n}()",
        "static var models: [M] { isLarge ? [Item.self, Photo.self, SchemaV1.Map.self] : [SchemaV1.Item.self,\n\n"
            + "SchemaV1.Photo.self] }",
        "static var models: [M] { all() }", "static var models: [M] { [Item.self] + all() }",
        "static var models: [M] { [Item.self] + (isLarge ? [Photo.self] : []) }",
    ])
    func aListThatCannotBeReadIsAskedForInEachVersion(_ list: String) throws {
        let result = try imported(version(list) + version(list, 2))
        let asked = result.questions.filter { $0.code == .version }
        #expect(Set(asked.compactMap(\.version)) == [Schema.Version(1, 0, 0), Schema.Version(2, 0, 0)])
        #expect(asked.allSatisfy { !$0.text.contains("\n") && !$0.text.contains("  ") })
        #expect(asked.allSatisfy { $0.text.count < 150 && !$0.text.contains("‘’") })
    }

    @Test func aNumberThatDependsOnAConditionIsNone() throws {
        let number =
            "#if A\nstatic let versionIdentifier = Schema.Version(2, 0, 0)\n#else\n"
            + "static let versionIdentifier = Schema.Version(2, 0, 1)\n#endif\n"
        let text =
            version("static var models: [M] { [Item.self] }")
            + "enum SchemaV2: VersionedSchema {\n\(number)static var models: [M] { [] }\n}\n"
        #expect(try imported(text).questions.map(\.code) == [.version])
        #expect(try imported(text.replacing("2, 0, 1", with: "2, 0, 0")).questions.isEmpty)
    }

    // MARK: The plan

    private func versions(_ numbers: Int...) -> String {
        numbers.map { LiveSources.version($0, "[Run.self]", LiveSources.model("Run", ["a\($0)"])) }.joined()
    }

    @Test("A version that the app's plan does not list is left out, asked about and said")
    func aVersionOutsideOfThePlanIsLeftOut() throws {
        let result = try imported(versions(1, 2, 3) + LiveSources.plan(1, 2))
        #expect(result.shapes == ["1.0.0 Run(id a1)", "2.0.0 Run(id a2)"])
        let asked = try #require(result.questions.first { $0.code == .version })
        #expect(asked.text == "‘SchemaV3’, 3.0.0, is not in the app's plan ‘AppPlan’: was it shipped?")
        #expect(asked.choices.map(\.statement) == ["remove this", "--git", "list it in the plan of the sources"])
        let text = try #require(result.files.first { $0.name == "Toy+SchemaV2.swift" }).text
        #expect(text.contains("Undecided(\n                \"‘SchemaV3’, 3.0.0, is not in the app's plan"))
    }

    @Test func aVersionThatGotAnotherNumberIsStillAskedFor() throws {
        let past = LiveSources.head + versions(1) + LiveSources.plan(1)
        let now = LiveSources.head + versions(1, 2) + LiveSources.plan(2)
        func asked(_ now: String) throws -> [String] {
            try Corpus.imported(states: [past], now: now).questions.filter { $0.code == .version }.map(\.text)
        }
        #expect(try asked(now) == [])
        let renumbered = now.replacing("Version(1, 0, 0)", with: "Version(0, 1, 0)")
        #expect(try asked(renumbered) == ["‘SchemaV1’, 0.1.0, is not in the app's plan ‘AppPlan’: was it shipped?"])
    }

    /// Without a plan, and with a plan whose list is empty, all versions belong to the app.
    @Test func wherePlanAndVersionsDoNotFitIsAskedFor() throws {
        func codes(_ text: String) throws -> [String] {
            try imported(text).questionNames.filter { $0.hasPrefix("version") }
        }
        #expect(try codes(versions(1, 2)) == [])
        #expect(try codes(versions(1, 2) + LiveSources.plan(1, 2)) == [])
        #expect(try codes(versions(1, 2) + LiveSources.plan([])) == [])
        // The plan of another store, or of a test.
        #expect(
            try codes(versions(1, 2, 3) + LiveSources.plan(1, 2, 3) + LiveSources.plan([1, 2], named: "Tests")) == [])
        #expect(
            try codes(versions(1, 2, 3) + LiveSources.plan([3], named: "Cache") + LiveSources.plan(1, 2)).count == 1)
        // A version that no file declares, and a list that code computes.
        #expect(try codes(versions(1, 2) + LiveSources.plan(1, 2, 9)) == ["version 2.0.0"])
        let made = LiveSources.plan(1, 2).replacing("[SchemaV1.self, SchemaV2.self]", with: "all().map { $0 }")
        #expect(try codes(versions(1, 2) + made) == ["version 2.0.0"])
        #expect(try imported(versions(1, 2) + made).versions.count == 2)
        let listed = LiveSources.plan(1, 2).replacing(
            "[SchemaV1.self, SchemaV2.self]", with: "Self.old + [SchemaV2.self]"
        )
        .replacing("static var stages", with: "static let old: [V] = [SchemaV1.self]\n    static var stages")
        #expect(try codes(versions(1, 2, 3) + listed).count == 1)
    }

    @Test func aVersionThatIsInThePlanUnderAConditionIsAskedFor() throws {
        let list = "{\n#if DEBUG\n[SchemaV1.self, SchemaV2.self]\n#else\n[SchemaV1.self]\n#endif\n}"
        let plan = LiveSources.plan(1, 2).replacing("{ [SchemaV1.self, SchemaV2.self] }", with: list)
        let result = try imported(versions(1, 2) + plan)
        #expect(
            result.questions.filter { $0.code == .condition }.map(\.text) == [
                "‘SchemaV2’ is a version only under ‘#if DEBUG’: was it shipped?"
            ])
        // Conditions around the version itself, and around the whole file.
        let one = try imported(versions(1) + "#if DEBUG\n" + versions(2) + "#endif\n")
        #expect(one.questionNames.contains("condition 2.0.0"))
        let all = try imported("#if !os(Linux)\n" + versions(1, 2) + "#endif\n")
        #expect(!all.questionNames.contains { $0.hasPrefix("condition 2") || $0.hasPrefix("condition 1") })
    }

    @Test func whatThePlanDecidedOfListsIsNoDifference() throws {
        enum Now: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static let models = Models {
                Model("Run") {
                    Identity("id")
                    Attribute("a2", .int, default: 0)
                }
            }
        }
        enum NowPlan: SchemaMigrationPlan {
            static let app = "toy"
            static let schemas: [any VersionedSchema.Type] = [Now.self]
            static let stages: [MigrationStage] = []
        }
        let list = "{\n#if DEBUG\n[SchemaV1.self, SchemaV2.self]\n#else\n[SchemaV1.self]\n#endif\n}"
        let plan = LiveSources.plan(1, 2).replacing("{ [SchemaV1.self, SchemaV2.self] }", with: list)
        let facts = try Corpus.facts(text: LiveSources.head + versions(1, 2, 3) + plan)
        let (_, drifts, notes) = try SchemaImporter.compare(facts, with: NowPlan.self)
        #expect(drifts == [])
        #expect(notes.contains { $0.hasSuffix("‘SchemaV3’, 3.0.0, is not in the app's plan ‘AppPlan’: left out") })
    }

    @Test func aVersionOfAnotherStoreIsNamedWhateverItsNumberAndName() throws {
        let card = LiveSources.version(1, "[Card.self]", LiveSources.model("Card", ["b"]))
        let result = try imported(versions(1) + LiveSources.plan(1) + "enum Other {\n\(card)}\n")
        #expect(
            result.questions.map(\.text) == [
                "‘Other.SchemaV1’, 1.0.0, is not in the app's plan ‘AppPlan’: was it shipped?"
            ])
    }

    /// The class may be a model of the older version under a new name; if both were taken for one, the question would
    /// be lost.
    @Test func aClassThatALaterVersionListsAndARelationshipBringsInIsAskedFor() throws {
        let note = LiveSources.model("Note", ["a"])
        let old = LiveSources.model("NoteV1", ["a"])
        let tag = LiveSources.model("Tag", []).replacing("    init", with: "    var note: Note?\n    init")
        let text = note + old + tag + LiveSources.version(1, "[NoteV1.self, Tag.self]")
        let result = try imported(text + LiveSources.version(2, "[Note.self, Tag.self]"))
        let questions = result.questions.map(\.text)
        #expect(questions.contains { $0.hasPrefix("‘Tag.note’ leads to ‘Note’, which ‘SchemaV1’ does not list") })
        let listed = try imported(text + LiveSources.version(2, "[NoteV1.self, Tag.self]"))
        #expect(!listed.questions.contains { $0.text.contains("does not list") })
    }

    // MARK: Stages

    @Test func aStageUnderAConditionIsAskedForWithIt() throws {
        func stage(_ body: String) -> String {
            ".custom(fromVersion: SchemaV1.self, toVersion: SchemaV2.self, willMigrate: nil, didMigrate: { c in\n"
                + "\(body)\n})"
        }
        func asked(_ stages: String, _ others: String = "") throws -> [String] {
            let plan = LiveSources.plan(1, 2).replacing("{ [] }", with: stages)
                .replacing("enum AppPlan", with: others + "enum AppPlan")
            return try imported(versions(1, 2) + plan).questions.filter { $0.code == .stage && $0.subject.isEmpty }
                .map {
                    $0.text.replacing(
                        "the app's own stage to 2.0.0 runs code, which the plan's file shows", with: "")
                }
        }
        let rest = ": what of it concerns the data?"
        #expect(try asked("{ [\(stage("fill(c)"))] }") == [rest])
        #expect(
            try asked("{\n#if DEBUG\n[\(stage("fill(c)"))]\n#else\n[]\n#endif\n}")
                == [", under ‘#if DEBUG’ only" + rest])
        #expect(try asked("{\n#if DEBUG\n[\(stage("f(c)"))]\n#else\n[\(stage("f(c)"))]\n#endif\n}") == [rest])
        #expect(
            try asked("{\n#if DEBUG\n[\(stage("f(c)"))]\n#else\n[\(stage("g(c)"))]\n#endif\n}")
                == [", under ‘#if DEBUG’ and ‘#if not DEBUG’ only" + rest])
        let plan = "extension AppPlan { static let toV2 = MigrationStage\(stage("fill(c)")) }\n"
        #expect(
            try asked("{\n#if DEBUG\n[toV2]\n#else\n[]\n#endif\n}", plan) == [", under ‘#if DEBUG’ only" + rest])
        #expect(try asked("{\n#if DEBUG\n[\(stage("try? context.save()"))]\n#else\n[]\n#endif\n}") == [])
    }
}
