import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// The output of `schema import`.
@Suite struct ReportTests {
    private func report(_ result: ImportResult) -> [String] {
        let request = ImportRequest(
            app: "toy", paths: ["App"], version: nil, renamings: [], history: .none, isPublic: false, program: nil)
        return SchemaImportReport(result, request, directory: "Sources", isWritten: true).text
            .split(separator: "\n").map(String.init)
    }

    @Test func questionsOfOneKindAreOne() throws {
        let models = ["Apple", "Pear", "Plum"].enumerated().map { index, name in
            Fact.model(
                name, line: index * 10, [Fact.property("id", "UUID?", line: index * 10 + 1)])
        }
        let lines = report(try Imports.new(models[0], models[1], models[2]))
        let start = try #require(lines.firstIndex { $0.hasPrefix("3 to decide of one kind;") })
        #expect(lines[start...].filter { $0.hasPrefix("  - ") }.count == 1)
        #expect(lines.contains("    The same of 2 more: Pear.id at Models.swift:11, Plum.id at Models.swift:21"))
    }

    @Test func whatIsLeftOutComesFirst() throws {
        let result = try Imports.new(
            Fact.model(
                "Trip",
                [
                    Fact.property("id", "UUID?"), Fact.property("price", "Money"),
                    Fact.property("days", "[Day]"),
                ]), Fact.model("Day", line: 30, [Fact.id]))
        let asked = report(result).filter { $0.hasPrefix("  - ") }
        #expect(asked.map { $0.contains("Trip.id") } == [false, false, true])
    }

    @Test func notesOfOneKindAreOneLine() throws {
        let external = Fact.attribute(["externalStorage"])
        let result = try Imports.new(
            Fact.model(
                "Trip", [Fact.id, Fact.property("a", "Data?", external), Fact.property("b", "Data?", external)]))
        let lines = report(result)
        #expect(lines.contains("  Trip.a, Trip.b: ‘.externalStorage’ has no effect here"))
        #expect(lines.contains { $0.hasSuffix("  1 model") })
    }

    @Test func noLineIsTooLong() throws {
        let names = (0..<30).map { "AModelWithALongName\($0)" }
        let types = names.map { Fact.model($0, [Fact.property("id", "UUID?")]) }
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
        let lines = report(result)
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(lines.contains { $0.contains("and 17 more") })
    }
}
