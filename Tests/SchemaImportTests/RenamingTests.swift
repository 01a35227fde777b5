import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// Possible renamings: one question for each removed name, before the questions that depend on it.
@Suite struct RenamingTests {
    private func versions(
        _ before: [TypeFact], _ after: [TypeFact], renamings: [Renaming?] = []
    ) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy", renamings: renamings.compactMap(\.self))
        let types = [Fact.version("SchemaV1", [1, 0, 0], before), Fact.version("SchemaV2", [2, 0, 0], after)]
        return try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
    }

    private func report(_ result: ImportResult) -> [String] {
        let request = ImportRequest(
            app: "toy", paths: ["App"], version: nil, renamings: [], history: .none, isPublic: false, program: nil)
        return SchemaImportReport(result, request, directory: "Sources", isWritten: true).text
            .split(separator: "\n").map(String.init)
    }

    private func plan(_ result: ImportResult) -> String {
        result.files.first { $0.name == "ToyPlan.swift" }?.text ?? ""
    }

    /// Returns the facts of a kitchen with `members`, whose cooks and tables refer to the model of this name.
    private func kitchen(_ name: String, _ members: [PropertyFact]) -> [TypeFact] {
        [
            Fact.model(name, [Fact.id] + members),
            Fact.model("Cook", line: 20, [Fact.id, Fact.property("best", "\(name)?")]),
            Fact.model("Table", line: 30, [Fact.id, Fact.property("special", "\(name)?")]),
        ]
    }

    private let price = [Fact.property("price", "Double")]
    /// The members of a model that is similar to no other.
    private let code = [Fact.property("barcode", "String"), Fact.property("weighed", "Bool")]

    @Test(arguments: [true, false])
    func aRenamedModelIsOneQuestionWhateverLeadsToIt(_ isAlike: Bool) throws {
        let result = try versions(kitchen("Dish", price), kitchen("Meal", isAlike ? price : code))
        #expect(result.questions.map(\.code) == [.renaming])
        #expect(
            result.questions[0].text
                == "‘Dish’ is gone, and ‘Meal’ is new; ‘Cook.best’, ‘Table.special’ lead there "
                + "now: is it the same, renamed?")
        let first = try #require(result.questions[0].choices.first?.statement)
        #expect(first == "--rename Dish=Meal")
        let renamed = try versions(
            kitchen("Dish", price), kitchen("Meal", price), renamings: [Renaming("Dish=Meal")])
        #expect(renamed.questions.isEmpty)
    }

    @Test func aRenamingComesBeforeWhatMayFollowFromIt() throws {
        let unknown = [Fact.property("photo", "Photo")]
        let result = try versions(kitchen("Dish", price), kitchen("Meal", price + unknown))
        let asked = report(result).filter { $0.hasPrefix("  - ") }
        #expect(asked.count == 2 && asked[0].contains("Meal, 2.0.0"), "\(asked)")
    }

    /// Three removed models and two new ones: three questions, not six.
    @Test func eachThatIsGoneIsAskedOfOnce() throws {
        let before = ["made", "read", "lost"].map { Fact.property($0, "Date?") }
        let after = ["x", "y"].map { Fact.property($0, "Date?", line: 14) }
        let result = try versions([Fact.model("Card", [Fact.id] + before)], [Fact.model("Card", [Fact.id] + after)])
        #expect(result.questions.map(\.subject) == ["Card.made", "Card.read", "Card.lost"])
        let lines = report(result)
        #expect(lines.contains("    2 more of this kind:"))
        #expect(
            lines.contains("      Card.read at Models.swift:14: Attribute(\"x\", …, originalName: \"read\"), and so on")
        )
    }

    @Test func whatIsSaidToBeGoneIsToldApartFromWhatLooksLikeIt() throws {
        let before = [Fact.property("note", "String"), Fact.property("made", "Date?")]
        let after = [Fact.property("notes", "String", .string("")), Fact.property("read", "Date?")]
        let models = ([Fact.model("Card", [Fact.id] + before)], [Fact.model("Card", [Fact.id] + after)])
        let asked = try versions(models.0, models.1)
        #expect(asked.questions.map(\.subject).sorted() == ["Card.made", "Card.note"])
        let statement = "Distinct(\"Card.notes\", from: \"Card.note\")"
        #expect(asked.questions.contains { $0.choices.last?.statement == statement })
        let answered = try versions(
            models.0, models.1,
            renamings: [Renaming(removed: "Card.note"), Renaming(removed: "Card.made")])
        #expect(answered.questions.isEmpty)
        #expect(answered.renamingsMet.count == 2)
        #expect(plan(answered).contains("            \(statement)\n"))
    }

    @Test func aModelThatIsSaidToBeGoneIsToldApart() throws {
        let result = try versions(
            [Fact.model("Dish", [Fact.id] + price)], [Fact.model("Meal", [Fact.id] + price)],
            renamings: [Renaming(removed: "Dish")])
        #expect(result.questions.isEmpty)
        #expect(plan(result).contains("Distinct(\"Meal\", from: \"Dish\")"))
    }

    @Test(arguments: ["Card.nota", "Dishes", "Kard.note"])
    func aRemovalThatAnswersNothingIsRefused(_ text: String) throws {
        let removal = try #require(Renaming(removed: text))
        let result = try versions(
            [Fact.model("Card", [Fact.id, Fact.property("note", "String")])],
            [Fact.model("Card", [Fact.id, Fact.property("notes", "String", .string(""))])], renamings: [removal])
        #expect(throws: CommandError.self) { try SourceImport.checkRenamings([removal], result) }
    }

    @Test func aRemovalIsOneNameOrTwo() {
        #expect(["", ".", "a.", ".a", "a.b.c", "a=b", "a.b=c"].allSatisfy { Renaming(removed: $0) == nil })
        #expect(Renaming(removed: "Card.note")?.text == "Card.note")
    }

    @Test func whatDiffersInItsNamesAloneIsSaidWithThem() throws {
        let result = try Imports.new(
            Fact.model("Trip", [Fact.id, Fact.property("a", "Photo?"), Fact.property("b", "Thumb")]),
            Fact.model("Leg", line: 10, [Fact.id, Fact.property("a", "Photo?", line: 12)]))
        let lines = report(result)
        #expect(lines.contains("    The same of 1 more: Leg.a at Models.swift:12"))
        #expect(lines.contains("    1 more of this kind:"))
        #expect(
            lines.contains {
                $0.hasPrefix("      Trip.b at ") && $0.contains("‘Thumb’: Attribute(\"b\", .codable(\"Thumb\"))")
            })
    }

    @Test func noReportHasMoreNotesThanAreRead() throws {
        let models = (0..<80).map { index in
            Fact.model(
                "M\(index)", line: index,
                [Fact.property("name", "String"), Fact.property("at\(index)", "Date", .string("?"), line: index)])
        }
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: Fact.sources(models))], namespace: "Toy")
        let lines = report(result)
        let notes = try #require(lines.firstIndex(of: "Also:"))
        #expect(lines.count - notes < 80)
    }

    /// For a plan the returning model is a new one, so data of the older version would be invisible here.
    @Test func whatIsGoneAndComesBackIsAsked() throws {
        var importer = SchemaImporter(app: "toy")
        let mood = Fact.property("mood", "String?")
        let trip = { (name: String, members: [PropertyFact]) in Fact.model(name, [Fact.id] + members) }
        let types = [
            Fact.version("SchemaV1", [1, 0, 0], [trip("Trip", [mood]), trip("Note", price)]),
            Fact.version("SchemaV2", [2, 0, 0], [trip("Trip", [])]),
            Fact.version("SchemaV3", [3, 0, 0], [trip("Trip", [])]),
            Fact.version("SchemaV4", [4, 0, 0], [trip("Trip", [mood]), trip("Note", price)]),
        ]
        let result = try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
        #expect(result.questions.map(\.subject) == ["Trip.mood", "Note"])
        #expect(result.questions.allSatisfy { $0.code == .returned && $0.version == Schema.Version(4, 0, 0) })
        #expect(
            result.questions.map(\.text) == [
                "‘mood’ was in 1.0.0, is gone in 2.0.0, and is here again: is it the same?",
                "‘Note’ was in 1.0.0, is gone in 2.0.0, and is here again: is it the same?",
            ])
        let statements = result.questions.map { $0.choices.map(\.statement) }
        #expect(
            statements == [
                ["remove this, and ‘Removed(\"mood\")’ in 2.0.0", "remove this"],
                ["remove this, and ‘RemovedModel(\"Note\")’ in 2.0.0", "Model(\"Note2\")"],
            ])
        let file = result.files.first { $0.name == "Toy+SchemaV4.swift" }?.text ?? ""
        #expect(file.contains("Undecided("), "\(file)")
    }
}
