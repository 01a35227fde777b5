import Foundation
import Glibc
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncCommands

/// `syncserver init` without the build: `OwnAppTests` and `script/full.d/own-app` create packages and run their
/// commands.
@Suite struct InitTests {
    @Test(arguments: [
        ("Pantry", "Pantry", "pantry", "pantry"), ("family-pantry", "FamilyPantry", "family_pantry", "family-pantry"),
        ("FamilyPantry", "FamilyPantry", "family_pantry", "family-pantry"), ("fitIQ2", "FitIQ2", "fit_iq2", "fit-iq2"),
    ])
    func anAppIsCalledByTheHabitsOfEachPlace(_ text: String, type: String, app: String, program: String) throws {
        let name = try PackageName(text)
        #expect((name.type, name.app, name.program) == (type, app, program))
    }

    @Test(arguments: ["", "9x", "a b", "ä", "sync", "pg_x", "-a", String(repeating: "a", count: 41)])
    func whatIsNoNameIsRefused(_ text: String) {
        #expect(throws: UsageError.self) { try PackageName(text) }
    }

    @Test("A package may not have a name that Swift, this library or the plan language uses")
    func namesThatAreTakenAreRefused() throws {
        let (_, output, _) = try ProcessOutput.of("/usr/bin/env", ["swift", "-print-target-info"])
        let text = String(decoding: output, as: UTF8.self)
        let after = try #require(text.components(separatedBy: "\"runtimeResourcePath\": \"").last)
        let folder = try #require(after.components(separatedBy: "\"").first)
        let modules = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/linux")
            .filter { $0.hasSuffix(".swiftmodule") && !$0.hasPrefix("_") }.map { String($0.dropLast(12)) }
        #expect(modules.contains("Testing"))
        let own = try FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/Sources")
            .filter { !["DemoApps", "Run", "RunCompat", "SyncTestSupport"].contains($0) }
        let language = ["Schema", "Model", "Models", "Attribute", "Convert", "VersionedSchema", "Type", "any", "self"]
        // The name ‘HTTP’ would lead to a target ‘HTTPServer’.
        for name in modules + own + language + ["HTTP", "swift", "xc-test", "wire-formats"] {
            #expect(throws: UsageError.self, "\(name)") { try PackageName(name) }
        }
        for name in ["Diary", "Plans", "Charts", "Swiftly"] { _ = try PackageName(name) }
    }

    @Test func theLibraryIsNamedByPathOrByURLAndVersion() throws {
        let root = Repository.root
        let beside = try LibraryLocation(root, from: "\(root)-apps/pantry")
        #expect(beside.dependency.hasPrefix(".package(path: \"../../"))
        let url = try LibraryLocation("https://git.example/team/syncserver.git@0.1.0", from: "/a")
        #expect(url.dependency == ".package(url: \"https://git.example/team/syncserver.git\", from: \"0.1.0\")")
        #expect(url.identity == "syncserver")
        #expect(throws: CommandError.self) { try LibraryLocation("/", from: "/a") }
    }

    @Test func aPackageIsWrittenOnceAndNeverOver() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "init-\(ID.random())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let words = [
            "syncserver", "init", "Pantry", "--directory", folder, "--library", Repository.root, "--no-build", "--json",
        ]
        #expect(await SyncServerProgram.main(words, apps: []) == 0)
        for path in ["Package.swift", "Sources/Pantry/PantryPlan.swift", "Tests/PantryTests/PantryTests.swift"] {
            #expect(FileManager.default.fileExists(atPath: "\(folder)/\(path)"), "\(path)")
        }
        #expect(FileManager.default.isExecutableFile(atPath: "\(folder)/script/ci"))
        try "mine".write(toFile: "\(folder)/README.md", atomically: true, encoding: .utf8)
        #expect(await SyncServerProgram.main(words, apps: []) == 1)
        #expect(try String(contentsOfFile: "\(folder)/README.md", encoding: .utf8) == "mine")
    }

    /// An interruption used to leave a package without migrations, an orphaned build, and a folder that the next run
    /// refused.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func whatIsInterruptedIsGoneOnWith(signal: Int32) async throws {
        let directory = try TemporaryDirectory()
        let folder = "\(directory.path)/pantry"
        let words = ["init", "Pantry", "--directory", folder, "--library", Repository.root]
        // A replacement of Swift's package manager: a build that never ends.
        let script = """
            #!/bin/bash
            [[ $1 == --version ]] && { echo Swift version 6.3.1; exit; }
            echo $$ >'\(directory.path)/build'
            sleep 1000

            """
        try script.write(toFile: "\(directory.path)/swift", atomically: true, encoding: .utf8)
        chmod("\(directory.path)/swift", 0o755)
        let path = "\(directory.path):/usr/bin:/bin"
        let run = try await CommandRun(words, environment: ["PATH": path]) { number in
            try await eventually("it builds") { FileManager.default.fileExists(atPath: "\(directory.path)/build") }
            kill(number, signal)
        }
        #expect(run.status == 1 && run.errors.contains("The same command goes on with it"), "\(run.errors)")
        let build = try #require(
            Int32(try String(contentsOfFile: "\(directory.path)/build", encoding: .utf8).dropLast(1)))
        try await eventually("the build has ended") { kill(build, 0) != 0 }
        try "mine".write(toFile: "\(folder)/README.md", atomically: true, encoding: .utf8)
        // Only a run with the same arguments continues.
        let other = try await CommandRun(words.map { $0 == "Pantry" ? "Stew" : $0 } + ["--no-build"])
        #expect(other.status == 1 && other.errors.contains("Pantry, which is unfinished"), "\(other.errors)")
        let again = try await CommandRun(words + ["--no-build"])
        #expect(again.status == 0, "\(again.errors)")
        #expect(try String(contentsOfFile: "\(folder)/README.md", encoding: .utf8) == "mine")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/.init-unfinished"))
        #expect(try await CommandRun(words + ["--no-build"]).status == 1)
    }

    @Test func modelsThatExistAreThePackagesVersions() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "init-\(ID.random())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let words = [
            "syncserver", "init", "Pantry", "--directory", folder, "--library", Repository.root, "--no-build", "--from",
        ]
        // Without sources, nothing is written.
        #expect(await SyncServerProgram.main(words + ["\(Repository.root)/Migrations"], apps: []) == 1)
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(await SyncServerProgram.main(words.dropLast() + ["--git"], apps: []) == 2)
        #expect(await SyncServerProgram.main(words + ["\(Repository.root)/docs/example-app"], apps: []) == 0)
        let third = try String(contentsOfFile: "\(folder)/Sources/Pantry/Pantry+SchemaV3.swift", encoding: .utf8)
        #expect(third.contains("public enum SchemaV3: VersionedSchema"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/Sources/Pantry/SchemaV1.swift"))
    }

    /// The build takes minutes, and may fail.
    @Test func whatWasReadIsSaidBeforeTheBuild() async throws {
        let directory = try TemporaryDirectory()
        let script = """
            #!/bin/bash
            [[ $1 == --version ]] && { echo Swift version 6.3.1; exit; }
            echo this is the build
            exit 1

            """
        try script.write(toFile: "\(directory.path)/swift", atomically: true, encoding: .utf8)
        chmod("\(directory.path)/swift", 0o755)
        let words = [
            "init", "Pantry", "--directory", "\(directory.path)/pantry", "--library", Repository.root, "--from",
            "\(Repository.root)/docs/example-app",
        ]
        let run = try await CommandRun(words, environment: ["PATH": "\(directory.path):/usr/bin:/bin"])
        #expect(run.status == 1)
        let (said, built) = (run.errors.range(of: "\n  3.0.0 "), run.errors.range(of: "this is the build"))
        #expect(said != nil && built != nil, "\(run.errors)")
        if let said, let built { #expect(said.lowerBound < built.lowerBound) }
    }

    @Test func anAppNeedNotBeNamedWhereThereIsOne() throws {
        let none = try Options([], of: CommandPath(CommandSpec("list", "Lists", options: [.app], run: { _ in 0 })))
        #expect(throws: UsageError.self) { try none.appName() }
        let name = try Environment.$apps.withValue([NotesPlan.self]) { try none.appName() }
        #expect(name == NotesPlan.app)
        #expect(throws: UsageError.self) {
            try Environment.$apps.withValue([NotesPlan.self, NotesPlan.self]) { try none.appName() }
        }
    }

    @Test func setupInstallsWhatOurOwnScriptDoes() throws {
        let template = PackageTemplate(
            name: try PackageName("Pantry"), library: try LibraryLocation(Repository.root, from: "/pantry"))
        let setup = try #require(template.files.first { $0.path == "script/setup" }?.text)
        let bootstrap = try String(contentsOfFile: Repository.root + "/script/bootstrap", encoding: .utf8)
        let list = try #require(bootstrap.firstMatch(of: /packages=\(([^)"]*)/)?.1)
        let packages = list.split { $0.isWhitespace }
        #expect(packages.count > 5)
        for package in packages { #expect(setup.contains(package), "\(package)") }
        // The requirements at run time are printed for the person who installs the server.
        let page = try String(contentsOfFile: Repository.root + "/deploy/README.md", encoding: .utf8)
        for library in DebianPackages.libraries { #expect(page.contains(" \(library)"), "\(library)") }
    }

    @Test func thePlansFolderIsFoundBelowSources() throws {
        #expect(try PlanFolder.find(NotesPlan.self, below: Repository.root + "/Tests/CompatTests").hasSuffix("/Frozen"))
        #expect(throws: CommandError.self) {
            try PlanFolder.find(NotesPlan.self, below: Repository.root + "/Sources/WireFormats")
        }
    }

    @Test func commandsAreNamedAsTheProgramIsCalled() {
        let text = "Run ‘syncserver migrate up’."
        func named(_ program: String) -> String {
            Environment.$arguments.withValue([program]) { Terminal.naming(text) }
        }
        #expect(named("/usr/bin/syncserver") == text)
        #expect(named("/usr/local/bin/pantry") == "Run ‘pantry migrate up’.")
        #expect(named("/elsewhere/pantry/.build/debug/pantry-compat") == "Run ‘swift run pantry migrate up’.")
    }
}
