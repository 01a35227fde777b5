import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncCommands

/// `syncserver doctor`: the missing requirements of a package, and their remedies.
@Suite struct DoctorTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func need(_ subject: String) throws -> Need {
        try #require(BuildNeeds(folder: directory.path).all.first { $0.subject == subject })
    }

    @Test func aFolderThatIsNoPackageIsSaidSo() throws {
        let none = try need("Package")
        #expect(none.state == .missing)
        #expect(none.remedy.contains("init NAME --from"))
    }

    @Test func theLibraryMustBeWherePackageSwiftLooksForIt() throws {
        func write(_ path: String) throws {
            let text = "let package = Package(dependencies: [.package(path: \"\(path)\")])"
            try text.write(toFile: "\(directory.path)/Package.swift", atomically: true, encoding: .utf8)
        }
        try write("../nowhere-\(ID.random())")
        #expect(try need("Package").state == .missing)
        try write(Repository.root)
        #expect(try need("Package").state == .fine)
        // The requirements of this repository are met on the machine that runs its tests.
        for subject in ["Swift", "Libraries", "PostgreSQL"] { #expect(try need(subject).state != .missing) }
    }

    @Test(arguments: [
        ("Swift version 6.3.1 (swift-6.3.1-RELEASE)\nTarget: x86_64-unknown-linux-gnu", "6.3"),
        ("Apple Swift version 5.10 (swiftlang-5.10.0.13)", "5.10"), ("command not found", nil),
    ])
    func aToolchainSaysItsVersion(_ text: String, _ version: String?) {
        #expect(BuildNeeds.version(in: text).map { "\($0.major).\($0.minor)" } == version)
    }

    private enum Broken: SchemaMigrationPlan {
        static let app = "broken"
        static let schemas: [any VersionedSchema.Type] = [V1.self, V1.self]
        static let stages: [MigrationStage] = []

        enum V1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static let models = Models { Model("Item") { Attribute("name", .string) } }
        }
    }

    @Test func aPlanThatIsNotInOrderIsNamedWithTheNextCommand() async throws {
        let options = try Options([], of: CommandPath(DoctorCommand.spec))
        let needs = await Environment.$apps.withValue([Broken.self]) { await AppNeeds(options: options).all() }
        let plan = try #require(needs.first { $0.subject == "Plan" })
        #expect(plan.state == .missing)
        #expect(plan.remedy.contains("schema check --app broken"))
        #expect(DoctorCommand.text(needs).contains("✗ Plan"))
    }

    @Test func whatIsNotFrozenIsOpenAndNotMissing() async throws {
        let options = try Options(
            ["--migrations", directory.path], of: CommandPath(DoctorCommand.spec))
        let folder = "\(directory.path)/notes"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let needs = await Environment.$apps.withValue([NotesPlan.self]) { await AppNeeds(options: options).all() }
        #expect(needs.first { $0.subject == "Migrations" }?.state == .missing)
        try "-- One.\n\n-- phase: expand\nCREATE SCHEMA notes;\n".write(
            toFile: "\(folder)/0001-create-notes.sql", atomically: true, encoding: .utf8)
        let later = await Environment.$apps.withValue([NotesPlan.self]) { await AppNeeds(options: options).all() }
        #expect(later.first { $0.subject == "Migrations" }?.state == .fine)
        #expect(later.first { $0.subject == "Published" }?.state == .open)
    }

    @Test func aDatabaseThatIsNotThereIsMissing() async throws {
        let options = try Options(
            ["--database", "postgresql://nobody@127.0.0.1:1/none", "--migrations", directory.path],
            of: CommandPath(DoctorCommand.spec))
        let needs = await AppNeeds(options: options).all()
        #expect(needs.first { $0.subject == "Database" }?.state == .missing)
        let status = await SyncServerProgram.main(["syncserver", "doctor", "--directory", directory.path], apps: [])
        #expect(status == 1)
    }
}
