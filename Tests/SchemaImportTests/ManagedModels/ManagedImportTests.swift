import Foundation
import SourceFacts
import SyncTestSupport
import Testing
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// Core Data models as files of a repository, read by the command.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct ManagedImportTests: ImportSuite {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ words: [String], apps: [any SchemaMigrationPlan.Type] = []) async -> Int32 {
        let program = ["--sources-program", Corpus.program ?? ""]
        return await SyncServerProgram.main(["syncserver", "schema"] + words + program, apps: apps)
    }

    private static let garden = "\(Corpus.root)/Garden.xcdatamodeld"

    @Test func fourVersionsBecomeAPlan() throws {
        let result = try Corpus.imported(["Garden.xcdatamodeld"], namespace: "Garden")
        #expect(result.versions.map { "\($0.schema.version)" } == ["1.0.0", "2.0.0", "3.0.0", "4.0.0"])
        #expect(
            result.questions.map { "\($0.version.map { "\($0)" } ?? "") \($0.code) \($0.subject)" } == [
                "4.0.0 type Plant.colors", "4.0.0 type Plant.spacing", "4.0.0 order Plant.waterings",
                "4.0.0 manyToMany Plant.tags", "4.0.0 manyToMany Tag.plants", "4.0.0 type Plant.count",
            ])
        let text = { (name: String) in result.files.first { $0.name == "Garden+\(name).swift" }?.text ?? "" }
        #expect(text("SchemaV1").contains("Attribute(\"area\", .double.optional, default: 0.0)"))
        #expect(
            text("SchemaV1").contains(
                "Relationship(\"plants\", toMany: \"Plant\", deleteRule: .cascade, inverse: \"bed\")"))
        #expect(text("SchemaV2").contains("Attribute(\"name\", .string.optional, originalName: \"title\")"))
        #expect(text("SchemaV2").contains("Attribute(\"price\", .decimal, default: 0.25)"))
        #expect(text("SchemaV3").contains("Model(\"Plot\", originalName: \"Bed\")"))
        #expect(text("SchemaV3").contains("Relationship(\"plot\", toOne: \"Plot\", originalName: \"bed\")"))
        #expect(text("SchemaV3").contains("Model(\"Watering\") {"))
        #expect(!text("SchemaV3").contains("Chore"))
        #expect(text("SchemaV4").contains("Attribute(\"called\", .string.optional, originalName: \"name\")"))
        #expect(text("SchemaV4").contains("Attribute(\"name\", .string, .unique)"))
        #expect(!text("SchemaV4").contains("edited"))
        #expect(text("SchemaV4").contains("4.0.0, imported from Garden.xcdatamodeld/Garden 4.xcdatamodel/contents:2."))
    }

    @Test func aModelIsImportedOnce() async throws {
        let words = ["import", ManagedImportTests.garden, "--app", "garden", "--directory", "\(folder)/Sources"]
        #expect(await run(words + ["--dry-run"]) == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/Sources"))
        #expect(await run(words) == 0)
        #expect(text("Sources/GardenPlan.swift").contains("Garden.SchemaV1.self, Garden.SchemaV2.self,"))
        #expect(await run(words) == 1)
    }

    @Test func aFileThatIsNoModelIsNamedWithItsLine() async throws {
        let version = try String(
            contentsOfFile: "\(ManagedImportTests.garden)/Garden.xcdatamodel/contents", encoding: .utf8)
        try write(version, "App.xcdatamodeld/App.xcdatamodel/contents")
        try write(version.replacing("</entity>", with: "</attribute>"), "App.xcdatamodeld/App 2.xcdatamodel/contents")
        try write("not a plist", "App.xcdatamodeld/.xccurrentversion")
        let facts = try Corpus.facts("\(folder)/App.xcdatamodeld")
        let file = "App.xcdatamodeld/App 2.xcdatamodel/contents"
        #expect(facts.problems.map { "\($0.location)" } == ["App.xcdatamodeld/.xccurrentversion:1", "\(file):8"])
        let result = try Corpus.imported(["\(folder)/App.xcdatamodeld"], namespace: "App")
        #expect(result.notes.contains { $0.hasPrefix("\(file):8: not read: ") })
        // A version without its neighbour is invalid.
        #expect(result.questions.map(\.place) == ["App.xcdatamodeld/.xccurrentversion:1", "\(file):8"])
        #expect(result.files[1].text.contains("Undecided("))
    }

    private func git(_ words: String...) throws {
        let name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"]
        let (status, _, errors) = try ProcessOutput.of("/usr/bin/env", ["git", "-C", folder] + name + words)
        try #require(status == 0, "\(errors)")
    }

    /// A version that was edited after it was shipped, which Git shows: another shape with the same number.
    @Test func gitTellsWhatAVersionWas() async throws {
        let manager = FileManager.default
        try git("init", "--quiet")
        try manager.createDirectory(atPath: "\(folder)/App", withIntermediateDirectories: true)
        try manager.copyItem(atPath: ManagedImportTests.garden, toPath: "\(folder)/App/Garden.xcdatamodeld")
        let newest = "App/Garden.xcdatamodeld/Garden 4.xcdatamodel/contents"
        let now = text(newest)
        let picture =
            "<attribute name=\"picture\" optional=\"YES\" attributeType=\"Binary\" "
            + "allowsExternalBinaryDataStorage=\"YES\"/>"
        try write(now.replacing(picture, with: ""), newest)
        try git("add", ".")
        try git("commit", "--quiet", "-m", "one")
        try git("tag", "v7.1")
        try write(now, newest)
        let words = [
            "import", "\(folder)/App/Garden.xcdatamodeld", "--app", "garden", "--git", "--directory", "\(folder)/S",
        ]
        #expect(await run(words) == 0)
        #expect(text("S/GardenPlan.swift").contains("of: Garden.SchemaV4.self, addedWith: Garden.SchemaV4.self"))
        #expect(text("S/Garden+SchemaV4Other.swift").contains("Removed(\"picture\")"))
        #expect(!text("S/Garden+SchemaV3.swift").isEmpty)
    }

    /// A plan that agrees with the model's newest version, and one that does not.
    @Test func sourcesAreCompared() async throws {
        try write(
            """
            <model>
                <entity name="Cup">
                    <attribute name="id" attributeType="UUID"/>
                    <attribute name="label" optional="YES" attributeType="String"/>
                </entity>
            </model>
            """, "Cups.xcdatamodeld/Cups.xcdatamodel/contents")
        let check = ["check", "--app", "cups", "--sources", "\(folder)/Cups.xcdatamodeld"]
        #expect(await run(check, apps: [CupsPlan.self]) == 0)
        let file = "Cups.xcdatamodeld/Cups.xcdatamodel/contents"
        // The question about the order of versions is not a difference of the newest version.
        let root = "\(folder)/Cups.xcdatamodeld"
        try FileManager.default.copyItem(atPath: "\(root)/Cups.xcdatamodel", toPath: "\(root)/Mugs.xcdatamodel")
        #expect(await run(check, apps: [MugsPlan.self]) == 0)
        try FileManager.default.removeItem(atPath: "\(root)/Mugs.xcdatamodel")
        try write(text(file).replacing("String", with: "Date"), file)
        #expect(await run(check, apps: [CupsPlan.self]) == 1)
    }
}

private enum CupsV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models = Models {
        Model("Cup") {
            Identity("id")
            Attribute("label", .string.optional)
        }
    }
}

private enum CupsV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models = Models { Inherits(CupsV1.self) }
}

private enum MugsPlan: SchemaMigrationPlan {
    static let app = "cups"
    static let schemas: [any VersionedSchema.Type] = [CupsV1.self, CupsV2.self]
    static let stages: [MigrationStage] = [.lightweight(fromVersion: CupsV1.self, toVersion: CupsV2.self)]
}

private enum CupsPlan: SchemaMigrationPlan {
    static let app = "cups"
    static let schemas: [any VersionedSchema.Type] = [CupsV1.self]
    static let stages: [MigrationStage] = []
}
