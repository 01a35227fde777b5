import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// The order of an app's states if tags, a Core Data model and the sources each count in their own way.
@Suite struct StateOrderTests {
    private static func version(_ number: Int, _ properties: String...) -> TypeFact {
        let properties = properties.map { Fact.property($0, "String?") }
        return Fact.version("SchemaV\(number)", [number, 0, 0], [Fact.model("Note", [Fact.id] + properties)])
    }

    private static func note(_ properties: String...) -> TypeFact {
        Fact.model("Note", [Fact.id] + properties.map { Fact.property($0, "String?") })
    }

    private func imported(_ states: (tag: String?, types: [TypeFact])...) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy")
        let snapshots = states.map { tag, types in
            SchemaImporter.Snapshot(
                label: tag, version: tag.flatMap { Schema.Version(String($0.dropFirst())) }, facts: Fact.sources(types))
        }
        return try importer.run(snapshots, namespace: "Toy")
    }

    /// The app was at 2.1 when it introduced its `SchemaV1`, which has the shape of 2.1.
    @Test func tagsBeforeTheSourcesHadVersionsComeBeforeThem() throws {
        let result = try imported(
            ("v1.2.0", [StateOrderTests.note()]), ("v1.3.0", [StateOrderTests.note()]),
            ("v2.0.0", [StateOrderTests.note("a")]), ("v2.0.1", [StateOrderTests.note("a")]),
            ("v2.1.0", [StateOrderTests.note("a", "b")]),
            ("v3.0.0", [StateOrderTests.version(1, "a", "b"), StateOrderTests.version(2, "a", "b", "c")]),
            (nil, [StateOrderTests.version(1, "a", "b"), StateOrderTests.version(2, "a", "b", "c")]))
        #expect(
            result.shapes == [
                "0.1.0 Note(id)", "0.2.0 Note(id a)", "1.0.0 Note(id a b)", "2.0.0 Note(id a b c)",
            ])
        #expect(result.files.map(\.name).contains("Toy+SchemaV1.swift"))
        #expect(result.notes.contains { $0.contains("became 0.1.0 to 0.2.0: what came later begins with 1.0.0") })
        #expect(
            result.notes.contains { $0.contains("3 tags, 1.3.0 to 2.1.0, have the shape of a version that is here") })
        #expect(result.questions.isEmpty)
    }

    /// A withdrawn change makes a version of its own, different from the one before the change.
    @Test func aShapeThatCameBackIsAVersionAgain() throws {
        let result = try imported(
            ("v1.2.0", [StateOrderTests.note()]), ("v2.0.0", [StateOrderTests.note("a")]),
            ("v2.1.0", [StateOrderTests.note()]), ("v3.0.0", [StateOrderTests.version(1, "a", "b")]),
            (nil, [StateOrderTests.version(1, "a", "b")]))
        #expect(result.shapes == ["0.1.0 Note(id)", "0.2.0 Note(id a)", "0.3.0 Note(id)", "1.0.0 Note(id a b)"])
    }

    @Test func theTagOfTheNumberOfTheFirstVersionIsThatVersion() throws {
        let result = try imported(
            ("v1.0.0", [StateOrderTests.note("a")]),
            ("v2.0.0", [StateOrderTests.version(1, "a"), StateOrderTests.version(2, "a", "b")]),
            (nil, [StateOrderTests.version(1, "a"), StateOrderTests.version(2, "a", "b")]))
        #expect(result.shapes == ["1.0.0 Note(id a)", "2.0.0 Note(id a b)"])
    }

    /// The tag has the number of a future version, and the shape of the version before that.
    @Test func aTagWithTheShapeOfAnotherVersionIsNotTheVersionOfItsNumber() throws {
        let first = StateOrderTests.version(1, "a")
        let result = try imported(
            ("v2.0.0", [StateOrderTests.note("a")]), ("v2.1.0", [first]),
            ("v3.0.0", [first, StateOrderTests.version(2, "a", "b")]),
            (nil, [first, StateOrderTests.version(2, "a", "b")])
        )
        #expect(result.shapes == ["1.0.0 Note(id a)", "2.0.0 Note(id a b)"])
    }

    @Test func aVersionThatHasNoRoomBelowItGetsOneAllTheSame() throws {
        let first = Fact.version("SchemaV1", [0, 1, 0], [StateOrderTests.note("a", "b")])
        let result = try imported(
            ("v1.2.0", [StateOrderTests.note()]), ("v2.0.0", [StateOrderTests.note("a")]), ("v3.0.0", [first]),
            (nil, [first]))
        #expect(result.shapes == ["0.0.1 Note(id)", "0.0.2 Note(id a)", "0.1.0 Note(id a b)"])
    }

    // MARK: A Core Data model at an old tag

    private func managed(_ attributes: String...) -> ElementFact {
        Managed.model(
            Managed.entity(
                "Note", [Managed.id] + attributes.map { Managed.attribute($0, "String", ["optional": "YES"]) }))
    }

    private func state(_ tag: String?, _ documents: [DocumentFact], _ types: [TypeFact] = []) -> SchemaImporter.Snapshot
    {
        var facts = Fact.sources(types)
        facts.documents = documents
        return SchemaImporter.Snapshot(
            label: tag, version: tag.flatMap { Schema.Version(String($0.dropFirst())) }, facts: facts)
    }

    @Test func aModelThatAnOldTagHasComesBeforeTheClasses() throws {
        let model = [Managed.version("App", managed("a"))]
        let both = [
            Managed.version("App", managed("a")), Managed.version("App 2", managed("a", "b")), Managed.current("App 2"),
        ]
        let classes = [StateOrderTests.version(1, "a", "b"), StateOrderTests.version(2, "a", "b", "c")]
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run(
            [state("v1.0.0", model), state("v1.1.0", both), state("v2.0.0", [], classes), state(nil, [], classes)],
            namespace: "Toy")
        #expect(
            result.shapes == [
                "0.1.0 Note(id a)", "0.2.0 Note(id a b)", "1.0.0 Note(id a b)", "2.0.0 Note(id a b c)",
            ])
        #expect(result.notes.count { $0.contains("Core Data model became") } == 1)
    }

    @Test func aModelWithoutEntitiesIsNoVersion() throws {
        let empty = [Managed.version("App", Managed.model())]
        let classes = [StateOrderTests.version(1, "a")]
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run(
            [state("v1.0.0", empty), state("v2.0.0", [], classes), state(nil, [], classes)], namespace: "Toy")
        #expect(result.shapes == ["1.0.0 Note(id a)"])
        #expect(result.notes.contains { $0.contains("‘App’ has no entity: no version of its own") })
    }

    @Test func aModelWithinAVersionIsNone() throws {
        let inner = DocumentFact(
            file: "App.xcdatamodeld/App 2.xcdatamodel/App.xcdatamodel/contents", root: managed("z"))
        let result = try Managed.imported([
            Managed.version("App", managed("a")), Managed.version("App 2", managed("a", "b")), inner,
            Managed.current("App 2"),
        ])
        #expect(result.shapes == ["1.0.0 Note(id a)", "2.0.0 Note(id a b)"])
    }

    // MARK: What no version lists

    @Test func aClassThatNoVersionListsIsAskedFor() throws {
        let listed = Fact.version("SchemaV1", [1, 0, 0], [StateOrderTests.note("a")])
        let result = try imported((nil, [listed, Fact.model("Folder", line: 40, [Fact.id])]))
        #expect(result.questions.map { "\($0.code.rawValue) \($0.subject)" } == ["version Folder"])
        #expect(result.files.contains { $0.text.contains("Undecided(") })
    }
}
