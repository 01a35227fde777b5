import Foundation
import PGMigrations
import SyncTestSupport
import SyncTesting
import Testing

@testable import SyncCommands
@testable import WireFormats

/// Problems that a developer with an own app met.
@Suite(.serialized, .ownThread) struct OwnPlanTests {
    /// A required unique attribute, and one that the newest version no longer has.
    enum Club: SchemaMigrationPlan {
        static let app = "club"
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
        static let stages: [MigrationStage] = [.lightweight(fromVersion: V1.self, toVersion: V2.self)]

        enum V1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static let models = Models {
                Model("Member") {
                    Attribute("badge", .string, .unique)
                    Attribute("isHere", .bool)
                    Attribute("shoe", .int)
                }
            }
        }

        enum V2: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static let models = Models {
                Inherits(V1.self)
                Model("Member") {
                    Removed("shoe")
                    Attribute("joined", .date.optional)
                }
            }
        }
    }

    /// Runs a command of Club's program.
    private func run(_ words: String..., folder: PublishedCopy) async -> Int32 {
        await SyncServerProgram.main(
            ["syncserver"] + words + ["--migrations", folder.path("Migrations")], apps: [Club.self])
    }

    @Test func draftsGoIntoAFileForEachVersionAndServeAllOfThem() async throws {
        let folder = try PublishedCopy()
        #expect(await run("schema", "sql", "2.0.0", "--write", "--app", "club", folder: folder) == 0)
        let files = try MigrationLine.read(directory: folder.path("Migrations/club")).files
        #expect(files.map(\.path) == ["club/0001-create-first-tables.sql", "club/0002-add-joined.sql"])
        #expect(await run("migrate", "lint", "club", folder: folder) == 0)
        // Existing files are never replaced, tables of earlier files are not created again, and a mistyped folder is
        // refused.
        #expect(await run("schema", "sql", "2.0.0", "--write", "--app", "club", folder: folder) == 1)
        #expect(await run("schema", "sql", "1.0.0", "2.0.0", "--write", "--app", "club", folder: folder) == 1)
        let slip = ["--app", "club", "--write", "--migrations", folder.path("Migration")]
        #expect(await SyncServerProgram.main(["syncserver", "schema", "sql", "2.0.0"] + slip, apps: [Club.self]) == 1)
        #expect(try MigrationLine.read(directory: folder.path("Migrations/club")).files.count == 2)
        let app = AppTests(Club.self, migrations: folder.path("Migrations"))
        try await app.checkMigrations()
        // One seed for many: each pair draws its own values, and a Bool or a text repeats soon.
        for _ in 0..<5 { try await app.checkVersions() }
    }

    @Test func oneFileForTwoVersionsIsNamed() async throws {
        let folder = try PublishedCopy()
        let draft = MigrationDraft(try Plan(Club.self), from: nil, to: 1, number: 1)
        try folder.write(draft.blocks.joined(separator: "\n\n"), to: "Migrations/club/0001-create-all.sql")
        do {
            try await AppTests(Club.self, migrations: folder.path("Migrations")).checkMigrations()
            Issue.record("Nothing was found.")
        } catch let failure as AppTestFailure {
            #expect(failure.description.contains("No migration of club ends where 1.0.0 does"), "\(failure)")
        }
    }

    @Test func theLawsAreTriedBeforeThereAreMigrations() async throws {
        let folder = try PublishedCopy()
        let outcome = await SchemaCommand.outcome(of: Club.self, cases: 5, seed: 1)
        #expect(outcome.laws?.isLawful == true)
        #expect(await run("schema", "check", "--cases", "5", folder: folder) == 1)
    }

    @Test func aRequiredAttributeThatEndsIsNoted() throws {
        let plan = try Plan(Club.self)
        let notes = plan.notes(on: 1)
        #expect(notes.map(\.subject) == ["Member.shoe, 2.0.0"])
        #expect(notes.allSatisfy { $0.message.contains("they read 0.") }, "\(notes)")
        #expect(plan.notes(on: 0).isEmpty)
    }

    @Test func goldenRecordsThatAreNotThereAreNamed() async throws {
        let folder = try PublishedCopy()
        _ = try await folder.publication(NotesPlan.self).freeze(cases: 1, seed: 1)
        func outcome() throws -> PublishedOutcome {
            let publication = try Publication(
                migrations: folder.path("Migrations"), plans: [Plan(NotesPlan.self)],
                lines: MigrationLine.readAll(directory: folder.path("Migrations")))
            return PublishedOutcome(problems: publication.problems(), publication, uncompared: [])
        }
        #expect(try !outcome().text.contains("golden records"))
        try folder.remove(Publication.fixturesPath)
        #expect(try outcome().text.contains("golden records were not compared"))
    }

    @Test func tablesBeyondTheVersionThatIsRehearsedAreRefused() async throws {
        let folder = try PublishedCopy()
        #expect(await run("schema", "sql", "2.0.0", "--write", "--app", "club", folder: folder) == 0)
        let plan = try Plan(Club.self)
        let lines = try MigrationLine.readAll(directory: folder.path("Migrations"), apps: ["club"])
        try await withTestDatabase { database in
            let preview = try ReleasePreview("club/1.0.0", of: [plan])
            let served = try await preview.lines(lines, database.connectionString, migrating: true)
            #expect(served.first { $0.name == "club" }?.files.count == 1)
            try await Migrator(database.connectionString, lines: lines).up(contracts: .run)
            await #expect(throws: CommandError.self) {
                try await preview.lines(lines, database.connectionString, migrating: true)
            }
        }
    }
}
