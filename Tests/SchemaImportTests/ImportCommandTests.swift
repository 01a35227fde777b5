import DemoApps
import Foundation
import SourceFacts
import SyncTestSupport
import Testing
import WireFormats

@testable import SchemaImport
@testable import SyncCommands

/// `syncserver schema import` and `schema check --sources`, run as a person runs them.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct ImportCommandTests: ImportSuite {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }
    @Test func aNewPlanIsWrittenOnce() async throws {
        try write(model("var name = \"\""), "App/Trip.swift")
        let words = ["import", "\(folder)/App", "--app", "trips", "--directory", "\(folder)/Sources/Trips"]
        #expect(await run(words) == 0)
        #expect(text("Sources/Trips/TripsPlan.swift").contains("enum TripsPlan: SchemaMigrationPlan"))
        #expect(text("Sources/Trips/Trips+SchemaV1.swift").contains("Attribute(\"name\", .string, default: \"\")"))
        try write("mine", "Sources/Trips/Trips+SchemaV1.swift")
        #expect(await run(words) == 1)
        #expect(text("Sources/Trips/Trips+SchemaV1.swift") == "mine")
    }

    @Test func nothingIsWrittenForADryRunOrWithoutModels() async throws {
        try write(model(), "App/Trip.swift")
        try write("struct A {}\n", "Other/A.swift")
        let target = ["--app", "trips", "--directory", "\(folder)/Sources"]
        #expect(await run(["import", "\(folder)/App", "--dry-run", "--json"] + target) == 0)
        #expect(await run(["import", "\(folder)/Other"] + target) == 1)
        #expect(await run(["import", "\(folder)/Missing"] + target) == 1)
        #expect(await run(["import", "\(folder)/App", "--app", "Trips"]) == 2)
        #expect(await run(["import", "\(folder)/App", "--rename", "a"] + target) == 2)
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/Sources"))
    }

    @Test func tagsAreVersionsAndTheRepositoryStaysAsItIs() async throws {
        try git("init", "--quiet")
        for (tag, properties) in [
            ("v1.0", ["var name: String"]), ("v1.0.1", ["var name: String"]),
            ("v1.9", ["var name: String", "var mark: Int?"]), ("v1.10", ["var name: String", "var note: String?"]),
        ] {
            let text = model().replacing(
                "    init() {}", with: properties.map { "    \($0)\n" }.joined() + "    init() {}")
            try write(text, "App/Trip.swift")
            try git("add", ".")
            try git("commit", "--quiet", "--allow-empty", "-m", tag)
            try git("tag", tag)
        }
        try write(text("App/Trip.swift").replacing("var note: String?", with: "var mark: Int?"), "App/Trip.swift")
        try write("not committed", "App/notes.txt")
        let before = try ProcessOutput.of("/usr/bin/env", ["git", "-C", folder, "status", "--porcelain"]).output
        #expect(
            await run([
                "import", "\(folder)/App", "--app", "trips", "--git", "--directory",
                "\(folder)/../out-\(directoryName)",
            ]) == 0)
        defer { try? FileManager.default.removeItem(atPath: "\(folder)/../out-\(directoryName)") }
        let plan = text("../out-\(directoryName)/TripsPlan.swift")
        // 1.0.1 stored nothing new; 1.9 comes before 1.10; the current files are those of v1.9.
        #expect(plan.contains("The life of the models of ‘trips’, 1.0.0 to 1.11.0."))
        #expect(text("../out-\(directoryName)/Trips+SchemaV2.swift").contains("Schema.Version(1, 9, 0)"))
        let after = try ProcessOutput.of("/usr/bin/env", ["git", "-C", folder, "status", "--porcelain"]).output
        #expect(before == after)
    }

    @Test(arguments: [
        ["--rename", "T=S", "--rename", "T=R"], ["--rename", "S=T", "--rename", "R=T"],
        ["--rename", "T.a=c", "--removed", "T.a"], ["--rename", "T=S", "--removed", "T"],
    ])
    func twoAnswersToOneQuestionAreRefused(_ words: [String]) async throws {
        try write(model("var a: Int?"), "App/Trip.swift")
        #expect(await run(["import", "\(folder)/App", "--app", "trips", "--dry-run"] + words) == 2)
    }

    /// The most common way to write versions: each lists the same classes, which are edited in place.
    @Test func atEachTagTheNewestVersionIsWhatWasShipped() async throws {
        try git("init", "--quiet")
        let properties = ["var name = \"\"", "var stars = 0", "var note: String?"]
        for number in 1...3 {
            let versions = (1...number).map { LiveSources.version($0, $0 == 1 ? "[Trip.self]" : "SchemaV1.models") }
            try write(model("") + versions.joined() + LiveSources.plan(Array(1...number)), "App/Trip.swift")
            try write(
                text("App/Trip.swift").replacing(
                    "    init() {}", with: properties.prefix(number).map { "    \($0)\n" }.joined() + "    init() {}"),
                "App/Trip.swift")
            try git("add", ".")
            try git("commit", "--quiet", "-m", "\(number)")
            try git("tag", "v\(number)")
        }
        let words = ["import", "\(folder)/App", "--app", "trips", "--directory"]
        #expect(await run(words + ["\(folder)/Sources", "--git"]) == 0)
        #expect(!text("Sources/TripsPlan.swift").contains("HistoricalVariant"))
        let files = (1...3).map { text("Sources/Trips+SchemaV\($0).swift") }
        #expect(files.map { $0.contains("Attribute(\"name\"") } == [true, false, false])
        #expect(files.map { $0.contains("Attribute(\"stars\"") } == [false, true, false])
        #expect(files.map { $0.contains("Attribute(\"note\"") } == [false, false, true])
        #expect(files.allSatisfy { !$0.contains("Undecided") })
        // Without the older states, all versions except the newest have questions.
        #expect(await run(words + ["\(folder)/Now"]) == 0)
        #expect((1...3).map { text("Now/Trips+SchemaV\($0).swift").contains("Undecided(") } == [true, true, false])
    }

    private enum Open: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Trip") { Identity("id") }
            Undecided("what was it then?", at: "Trip.swift:1", choices: "--git", "remove this")
        }
    }

    private enum OpenPlan: SchemaMigrationPlan {
        static let app = "open"
        static let schemas: [any VersionedSchema.Type] = [Open.self]
        static let stages: [MigrationStage] = []
    }

    @Test func nothingIsPublishedBeforeAVersionsQuestionIsAnswered() async throws {
        try write(SchemaLock().text, "Migrations/\(SchemaLock.fileName)")
        for word in ["check", "freeze"] {
            let words = ["syncserver", "schema", word, "--migrations", "\(folder)/Migrations", "--cases", "1"]
            #expect(await SyncServerProgram.main(words, apps: [OpenPlan.self]) == 1, "\(word)")
        }
        #expect(text("Migrations/\(SchemaLock.fileName)") == SchemaLock().text)
    }

    private var directoryName: String { URL(filePath: folder).lastPathComponent }

    @Test func commitsCanBeListedWithTheirVersions() async throws {
        try git("init", "--quiet")
        try write(model("var name: String"), "App/Trip.swift")
        try git("add", ".")
        try git("commit", "--quiet", "-m", "one")
        try write("HEAD 0.9.0\n# the rest is as it is\n", "commits.txt")
        let words = ["import", "\(folder)/App", "--app", "trips", "--directory", "\(folder)/Sources"]
        #expect(await run(words + ["--commits", "\(folder)/commits.txt"]) == 0)
        #expect(text("Sources/Trips+SchemaV1.swift").contains("Schema.Version(0, 9, 0)"))
        try write("HEAD nine\n", "commits.txt")
        #expect(await run(words + ["--commits", "\(folder)/commits.txt"]) == 1)
        #expect(await run(words + ["--git"]) == 1)
    }

    @Test(
        arguments: [
            ("Trip.name=title", nil), ("Trip.nme=title", "‘name’ for ‘nme’"), ("Trp.name=title", "‘Trip’ for ‘Trp’"),
            ("Trip.title=name", "renames nothing"), ("Tripp=Trip", "‘Trip’ for ‘Tripp’"),
            ("Journey=Voyage", "renames nothing"),
        ] as [(String, String?)])
    func aRenamingOfNothingIsRefused(renaming: String, words: String?) async throws {
        func version(_ number: Int, _ property: String) -> String {
            """
            enum SchemaV\(number): VersionedSchema {
                static let versionIdentifier = Schema.Version(\(number), 0, 0)
                static let models: [any PersistentModel.Type] = [Trip.self]
                @Model final class Trip { var id = UUID(); var \(property) = "" }
            }

            """
        }
        try write("import SwiftData\n" + version(1, "name") + version(2, "title"), "App/Trip.swift")
        let run = try await CommandRun([
            "schema", "import", "\(folder)/App", "--app", "trips", "--directory", "\(folder)/Sources", "--rename",
            renaming, "--sources-program", Corpus.program ?? "",
        ])
        #expect(run.status == (words == nil ? 0 : 1))
        if let words { #expect(run.errors.contains(words), "\(run.errors)") }
        #expect(text("Sources/Trips+SchemaV2.swift").contains("originalName: \"name\"") == (words == nil))
    }

    @Test func aPublishedVersionIsNeverWrittenInAnotherShape() async throws {
        var lock = SchemaLock()
        lock.append(.version(app: "trips", Schema.Version(1, 0, 0), fingerprint: "0123456789abcdef", fixtures: "0"))
        try write(lock.text, "Migrations/\(SchemaLock.fileName)")
        try write(model(), "App/Trip.swift")
        let words = ["import", "\(folder)/App", "--app", "trips", "--directory", "\(folder)/Sources"]
        #expect(await run(words + ["--migrations", "\(folder)/Migrations"]) == 1)
        #expect(text("Sources/TripsPlan.swift").isEmpty)
        #expect(await run(words + ["--migrations", "\(folder)"]) == 0)
    }

    private enum Trips {
        enum SchemaV1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static let models = Models { Model("Trip") { Undecided("‘name’ or ‘title’?", at: "Trip.swift:1") } }
        }
    }

    private enum TripsPlan: SchemaMigrationPlan {
        static let app = "trips"
        static let schemas: [any VersionedSchema.Type] = [Trips.SchemaV1.self]
        static let stages: [MigrationStage] = []
    }

    /// The answer ‘--git’ needs another import.
    @Test func aPlanOfWhichNothingIsPublishedIsImportedOnceMore() async throws {
        try write(model("var name: String?"), "App/Trip.swift")
        let version = { (number: Int) in "extension Trips {\n    enum SchemaV\(number): VersionedSchema {\n    }\n}\n" }
        try write(version(1), "Plan/Trips+SchemaV1.swift")
        try write(version(2), "Plan/Trips+SchemaV2.swift")
        try write("mine", "Plan/Trips+Conversions.swift")
        let words = [
            "import", "\(folder)/App", "--app", "trips", "--directory", "\(folder)/Plan", "--namespace", "Trips",
            "--migrations", "\(folder)/Migrations",
        ]
        #expect(await run(words, apps: [TripsPlan.self]) == 1)
        #expect(await run(words + ["--anew"]) == 2)
        #expect(await run(words + ["--anew", "--dry-run"], apps: [TripsPlan.self]) == 0)
        #expect(text("Plan/Trips+SchemaV1.swift") == version(1))
        #expect(await run(words + ["--anew"], apps: [TripsPlan.self]) == 0)
        #expect(text("Plan/Trips+SchemaV1.swift").contains("Attribute(\"name\", .string.optional)"))
        #expect(text("Plan/TripsPlan.swift").contains("enum TripsPlan: SchemaMigrationPlan"))
        #expect(text("Plan/Trips+SchemaV2.swift").isEmpty)
        #expect(text("Plan/Trips+Conversions.swift") == "mine")

        // The shape at a tag is not replaced by that of the current files.
        let file = text("Plan/Trips+SchemaV1.swift")
        try write(file.replacing("imported from ", with: "imported from v1.0:"), "Plan/Trips+SchemaV1.swift")
        let older = ImportedFiles(directory: "\(folder)/Plan").olderState(of: "Trips")
        #expect(older?.file == "Trips+SchemaV1.swift" && older?.location == "v1.0:Trip.swift:4")
        #expect(await run(words + ["--anew"], apps: [TripsPlan.self]) == 1)
        #expect(await run(words + ["--git", "--commits", "\(folder)/list"], apps: [TripsPlan.self]) == 2)
        try write(file, "Plan/Trips+SchemaV1.swift")

        var lock = SchemaLock()
        lock.append(.version(app: "trips", Schema.Version(1, 0, 0), fingerprint: "0123456789abcdef", fixtures: "0"))
        try write(lock.text, "Migrations/\(SchemaLock.fileName)")
        #expect(await run(words + ["--anew"], apps: [TripsPlan.self]) == 1)
    }

    @Test func aPlanThatIsThereGetsTheNextVersion() async throws {
        let home = Repository.root + "/Sources/DemoApps/EasitOpen"
        for name in try FileManager.default.contentsOfDirectory(atPath: home) where name.hasSuffix(".swift") {
            try write(try String(contentsOfFile: "\(home)/\(name)", encoding: .utf8), "Plan/\(name)")
        }
        let sources = try String(contentsOfFile: "\(Corpus.root)/EasitOpen/2.0.0/Models.swift", encoding: .utf8)
        try write(sources, "App/Models.swift")
        let check = ["check", "--app", "easitopen", "--sources", "\(folder)/App"]
        let add = [
            "import", "\(folder)/App", "--app", "easitopen", "--directory", "\(folder)/Plan", "--version", "2.1.0",
        ]
        #expect(await run(check, apps: DemoApps.all) == 0)
        // A text that answers no question is rejected.
        #expect(await run(add + ["--rename", "Business.starz=stars"], apps: DemoApps.all) == 1)
        try write(
            sources.replacing(
                "var isFavorite: Bool = false", with: "var isFavorite: Bool = false\n    var stars: Int?"),
            "App/Models.swift")
        #expect(await run(check, apps: DemoApps.all) == 1)
        #expect(await run(check + ["--json"], apps: DemoApps.all) == 1)
        let before = text("Plan/EasitOpen+SchemaV200.swift")
        #expect(await run(add, apps: DemoApps.all) == 0)
        #expect(text("Plan/EasitOpen+SchemaV200.swift") == before)
        #expect(
            text("Plan/EasitOpen+SchemaV210.swift") == """
                public import WireFormats

                extension EasitOpen {
                    /// 2.1.0, imported from Models.swift:5.
                    public enum SchemaV210: VersionedSchema {
                        public static let versionIdentifier = Schema.Version(2, 1, 0)
                        public static let models = Models {
                            Inherits(SchemaV200.self)
                            Model("Business") {
                                Attribute("stars", .int.optional)
                            }
                        }
                    }
                }

                """)
        let plan = text("Plan/EasitOpenPlan.swift")
        #expect(plan.contains("EasitOpen.SchemaV200.self, EasitOpen.SchemaV210.self,"))
        #expect(
            plan.contains(
                ".lightweight(fromVersion: EasitOpen.SchemaV200.self, toVersion: EasitOpen.SchemaV210.self),\n    ]"))
    }

    @Test func withoutTheReaderTheErrorSaysHowToBuildIt() {
        let failure = #expect(throws: CommandError.self) { try SourcesProgram.findOrBuild(stated: "\(folder)/nothing") }
        #expect(failure?.description.contains("--sources-program") == true)
    }
}
