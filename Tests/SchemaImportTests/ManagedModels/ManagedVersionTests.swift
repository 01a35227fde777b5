import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// The versions of a Core Data model, their order and numbers.
@Suite struct ManagedVersionTests {
    private func imported(
        _ names: [String], current: String?, paths: [String] = [], version: Schema.Version? = nil
    ) throws -> ImportResult {
        let documents = names.enumerated().map { index, name in
            let attributes = (0...index).map { Managed.attribute("a\($0)", "String", ["optional": "YES"]) }
            return Managed.version(name, Managed.model(Managed.entity("Item", [Managed.id] + attributes)))
        }
        return try Managed.imported(
            documents + (current.map { [Managed.current($0)] } ?? []), paths: paths, version: version)
    }

    private static func numbers(_ result: ImportResult) -> [String] { result.versions.map { "\($0.schema.version)" } }

    /// Names that people and Xcode give to versions, in the order of the files, and the version numbers that they mean.
    static let names: [(names: [String], current: String, numbers: [String])] = [
        (["App 10", "App 2", "App"], "App 10", ["1.0.0", "2.0.0", "10.0.0"]),
        (["App 1", "App"], "App 1", ["0.1.0", "1.0.0"]),
        (["Model", "Model12", "Model2"], "Model12", ["1.0.0", "2.0.0", "12.0.0"]),
        (["AppV2", "App", "AppV10"], "AppV10", ["1.0.0", "2.0.0", "10.0.0"]),
        (["store2.9", "store", "store2.10.1"], "store2.10.1", ["1.0.0", "2.9.0", "2.10.1"]),
        (["1.2", "1.10", "1.0.1"], "1.10", ["1.0.1", "1.2.0", "1.10.0"]),
        (["App_v1", "App_v2"], "App_v2", ["1.0.0", "2.0.0"]),
        (["App_1_2", "App_1_10"], "App_1_10", ["1.2.0", "1.10.0"]),
        (["Dev 2", "Dev"], "Dev 2", ["1.0.0", "2.0.0"]), (["app 2", "App 3"], "App 3", ["2.0.0", "3.0.0"]),
        (["Only 5"], "Only 5", ["5.0.0"]),
    ]

    @Test(arguments: names.indices) func namesTellTheOrder(_ index: Int) throws {
        let (names, current, numbers) = ManagedVersionTests.names[index]
        let result = try imported(names, current: current)
        #expect(ManagedVersionTests.numbers(result) == numbers)
        #expect(result.questions.filter { $0.code == .order } == [])
    }

    @Test(arguments: [
        (["Notes", "Photos"], "Photos"), (["App 2", "App copy", "App"], "App 2"), (["A 1.0", "A 1"], "A 1.0"),
        (["App 1.2.3.4", "App 2"], "App 2"), (["App 20240131", "App 3"], "App 20240131"),
    ])
    func anOrderThatNamesDoNotTellIsAskedFor(_ names: [String], _ current: String) throws {
        let result = try imported(names, current: current)
        #expect(ManagedVersionTests.numbers(result) == names.indices.map { "\($0 + 1).0.0" })
        #expect(result.questions.filter { $0.code == .order }.count == 1)
        // The plan is invalid until the question is answered.
        let last = try #require(result.files.dropLast().last).text
        #expect(last.contains("Undecided(\n                \"in which order were these versions made"))
        #expect(result.questions.last { $0.code == .order }?.place.contains("\(current).xcdatamodel") == true)
    }

    @Test func whatComesAfterTheCurrentVersionIsLeftOutAndAskedFor() throws {
        let result = try imported(["App", "App 2", "App 3", "App 4"], current: "App 2")
        #expect(ManagedVersionTests.numbers(result) == ["1.0.0", "2.0.0"])
        let asked = result.questions.filter { $0.code == .order }
        #expect(asked.map(\.text).first?.hasPrefix("‘App 3’, ‘App 4’ come after ‘App 2’") == true)
        #expect(try #require(result.files.first { $0.name == "Toy+SchemaV2.swift" }).text.contains("Undecided("))
    }

    @Test func aMissingCurrentVersionIsAskedFor() throws {
        #expect(try imported(["App", "App 2"], current: nil).questions.map(\.code) == [.order])
        let gone = try imported(["App", "App 2"], current: "App 3")
        #expect(gone.questions.map(\.code) == [.order])
        #expect(ManagedVersionTests.numbers(gone) == ["1.0.0", "2.0.0"])
    }

    @Test func oneVersionNeedsNoCurrentOne() throws {
        let result = try imported(["App"], current: nil)
        #expect(ManagedVersionTests.numbers(result) == ["1.0.0"])
        #expect(result.questions == [])
        #expect(result.files.map(\.name) == ["Toy.swift", "Toy+SchemaV1.swift", "ToyPlan.swift"])
        let stated = try imported(["App"], current: nil, version: Schema.Version(0, 3, 0))
        #expect(ManagedVersionTests.numbers(stated) == ["0.3.0"])
    }

    @Test func foldersThatAreNamedAreReadInThatOrder() throws {
        let paths = ["x/App.xcdatamodeld/Second.xcdatamodel", "x/App.xcdatamodeld/First.xcdatamodel/"]
        let result = try imported(["First", "Second", "Third"], current: "Third", paths: paths)
        #expect(ManagedVersionTests.numbers(result) == ["1.0.0", "2.0.0"])
        #expect(result.questions.filter { $0.code == .order } == [])
        #expect(result.versions[0].schema.entity("Item")?.attributes.count == 2)
    }

    @Test func aVersionThatChangesNothingIsOneAllTheSame() throws {
        let item = Managed.model(Managed.entity("Item", [Managed.id]))
        let result = try Managed.imported(versions: item, item, item)
        #expect(ManagedVersionTests.numbers(result) == ["1.0.0", "2.0.0", "3.0.0"])
        let name = try #require(result.files.first { $0.name == "Toy+SchemaV2.swift" })
        #expect(name.text.contains("Inherits(SchemaV1.self)"))
    }

    @Test func twoModelsAreAQuestionOfWhich() throws {
        let item = Managed.model(Managed.entity("Item", [Managed.id]))
        let documents = ["A", "B"].map { Managed.version($0, item, in: "\($0).xcdatamodeld") }
        let failure = #expect(throws: ImportFailure.self) { try Managed.imported(documents) }
        #expect(failure?.description.contains("2 Core Data models, ‘A.xcdatamodeld’, ‘B.xcdatamodeld’") == true)
    }

    // MARK: Beside classes

    private let trip = Fact.version(
        "SchemaV1", [1, 0, 0], [Fact.model("Item", [Fact.id, Fact.property("name", "String")])])

    @Test func besideClassesAModelIsReadWhereItIsNamed() throws {
        let name = Managed.attribute("name", "String")
        let documents = [
            Managed.version("App", Managed.model(Managed.entity("Item", [Managed.id]))),
            Managed.version("App 2", Managed.model(Managed.entity("Item", [Managed.id, name]))),
            Managed.current("App 2"),
        ]
        let folder = try Managed.imported(documents, classes: [trip])
        #expect(ManagedVersionTests.numbers(folder) == ["1.0.0"])
        #expect(folder.notes.contains { $0.hasPrefix("App.xcdatamodeld: a Core Data model, not read") })
        let both = try Managed.imported(documents, classes: [trip], paths: ["Models", "App.xcdatamodeld"])
        #expect(ManagedVersionTests.numbers(both) == ["0.1.0", "0.2.0", "1.0.0"])
        #expect(both.notes.contains { $0.contains("became 0.1.0 to 0.2.0") })
        #expect(both.questions.map(\.code) == [.plan])
        #expect(
            both.versions[1].schema.entity("Item")?.attributes == both.versions[2].schema.entity("Item")?.attributes)
    }

    @Test func whatElseAnAppStoresWithIsNamed() throws {
        func advice(_ type: TypeFact) -> String {
            let failure = #expect(throws: ImportFailure.self) { try Managed.imported([], classes: [type]) }
            return failure?.description ?? ""
        }
        let record = TypeFact(
            kind: .class, name: "Note", location: Fact.at(3), inherited: [Fact.named("NSManagedObject")])
        #expect(
            advice(record).contains("‘Note’, Models.swift:3, is a class of Core Data, which keeps its models in an"))
        let row = TypeFact(
            kind: .struct, name: "Note", location: Fact.at(3), inherited: [Fact.named("GRDB.TableRecord")])
        #expect(advice(row).contains("is a class of GRDB, which is not read: ‘syncserver init NAME’"))
        #expect(
            advice(Fact.structure("Note")).contains("Name the folder that has the app's models, or the ‘.xcdatamodeld’")
        )
    }

    // MARK: Mappings

    @Test func aMappingOfTheAppsIsAskedForInItsStage() throws {
        func path(_ name: String, _ version: String) -> ElementFact {
            ElementFact(
                name: "attribute", line: 9, attributes: ["name": name, "type": "string"],
                text: "Models/App.xcdatamodeld/\(version).xcdatamodel")
        }
        let object = ElementFact(
            name: "object", line: 8,
            elements: [path("sourcemodelpath", "App"), path("destinationmodelpath", "App 2")])
        let mapping = DocumentFact(
            file: "1To2.xcmappingmodel/xcmapping.xml", root: ElementFact(name: "database", line: 4, elements: [object]))
        let item = Managed.model(Managed.entity("Item", [Managed.id]))
        let versions = [Managed.version("App", item), Managed.version("App 2", item), Managed.current("App 2")]
        let result = try Managed.imported(versions + [mapping])
        #expect(result.questions.map(\.code) == [.stage])
        #expect(result.questions.first?.text.contains("mapping to 2.0.0 runs expressions, which Xcode") == true)
        let policy = ElementFact(
            name: "attribute", line: 9, attributes: ["name": "migrationpolicyclassname"], text: "App.Policy")
        let code = ElementFact(name: "object", line: 8, elements: object.elements + [policy])
        let coded = DocumentFact(
            file: mapping.file, root: ElementFact(name: "database", line: 4, elements: [code]))
        let answered = try Managed.imported(versions + [coded])
        #expect(answered.questions.first?.text.contains("mapping to 2.0.0 runs ‘App.Policy’") == true)
        #expect(result.questions.first?.place == "1To2.xcmappingmodel/xcmapping.xml")
        #expect(result.files.last?.text.contains("// mapping model: 1To2.xcmappingmodel") == true)
        let lone = try Managed.imported([Managed.version("App 2", item), mapping])
        #expect(lone.notes.contains { $0.contains("a mapping of versions that are not here") })
    }
}
