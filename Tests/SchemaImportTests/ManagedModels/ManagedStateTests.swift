import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Core Data models in several states of the sources, and beside classes.
@Suite struct ManagedStateTests {
    private typealias State = (label: String?, documents: [DocumentFact])

    private static func item(_ attributes: String...) -> ElementFact {
        Managed.model(Managed.entity("Item", [Managed.id] + attributes.map { Managed.attribute($0, "String") }))
    }

    private static func imported(_ states: State...) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy")
        let snapshots = states.map { state in
            var facts = SourceFacts(files: state.documents.map(\.file), types: [])
            facts.documents = state.documents
            return SchemaImporter.Snapshot(label: state.label, facts: facts)
        }
        return try importer.run(snapshots, namespace: "Toy")
    }

    private static func shapes(_ result: ImportResult) -> [String] {
        result.versions.map { version in
            let names = version.schema.entity("Item")?.attributes.map(\.name) ?? []
            return "\(version.schema.version)\(version.isVariant ? " other" : ""): \(names.joined(separator: " "))"
        }
    }

    /// The shape of a version is the shipped one, even if the version was edited in place after a newer one existed.
    @Test func aVersionIsWhatItWasAsTheNewest() throws {
        let result = try ManagedStateTests.imported(
            (
                "v1",
                [
                    Managed.version("App", ManagedStateTests.item("a")),
                    Managed.version("App 2", ManagedStateTests.item("a", "b")), Managed.current("App 2"),
                ]
            ),
            (
                nil,
                [
                    Managed.version("App", ManagedStateTests.item("a")),
                    Managed.version("App 2", ManagedStateTests.item("a", "c")),
                    Managed.version("App 3", ManagedStateTests.item("a", "c", "d")), Managed.current("App 3"),
                ]
            ))
        #expect(ManagedStateTests.shapes(result) == ["1.0.0: a", "2.0.0: a b", "3.0.0: a c d"])
        let file = "App.xcdatamodeld/App 2.xcdatamodel/contents"
        #expect(result.notes.contains { $0.hasPrefix("\(file):1: 2.0.0 is here not what it was at v1:\(file):1") })
    }

    /// Only the latest state raises questions about the existing versions and their order.
    @Test func whatALaterStateTellsIsNotAsked() throws {
        let versions = [
            Managed.version("App", ManagedStateTests.item("a")),
            Managed.version("App 2", ManagedStateTests.item("a", "b")),
            Managed.version("App 3", ManagedStateTests.item("a", "b", "c")),
        ]
        let early = versions + [Managed.current("App 2")]
        let result = try ManagedStateTests.imported(("v1", early), (nil, versions + [Managed.current("App 3")]))
        #expect(result.questions.filter { $0.code == .order } == [])
        #expect(ManagedStateTests.shapes(result) == ["1.0.0: a", "2.0.0: a b", "3.0.0: a b c"])
        let asked = try ManagedStateTests.imported(("v1", early), (nil, early))
        #expect(asked.questions.filter { $0.code == .order }.count == 1)
        #expect(ManagedStateTests.shapes(asked) == ["1.0.0: a", "2.0.0: a b"])
        // The last state that has the model asks.
        let gone = try ManagedStateTests.imported(("v1", early), (nil, []))
        #expect(gone.questions.filter { $0.code == .order }.map { $0.place.hasPrefix("v1:App.xc") } == [true])
    }

    // MARK: Beside classes

    private let cup = Fact.model("Item", [Fact.id, Fact.property("a", "String")])

    @Test func aVersionOfTheShapeOfAClassIsOneAllTheSame() throws {
        let documents = [
            Managed.version("Notes", ManagedStateTests.item("a")), Managed.version("Photos", ManagedStateTests.item()),
            Managed.current("Photos"),
        ]
        let result = try Managed.imported(
            documents, classes: [Fact.version("SchemaV1", [1, 0, 0], [cup])], paths: ["Models", "App.xcdatamodeld"])
        #expect(ManagedStateTests.shapes(result) == ["0.1.0: a", "0.2.0: ", "1.0.0: a"])
    }

    @Test(arguments: [1, 2]) func classesOfAStatedNumberComeAfterTheModel(_ count: Int) throws {
        let names = ["App", "App 2"].prefix(count)
        let documents = names.map { Managed.version($0, ManagedStateTests.item()) }
        let result = try Managed.imported(
            documents + names.suffix(1).map { Managed.current($0) }, classes: [cup],
            paths: ["Models", "App.xcdatamodeld"], version: Schema.Version(1, 0, 0))
        #expect(ManagedStateTests.shapes(result) == ["0.1.0: ", "0.2.0: "].prefix(count) + ["1.0.0: a"])
    }
}
