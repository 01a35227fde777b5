import Foundation
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import DemoApps
@testable import SyncCommands

/// The checks that an app's own tests run on its plan: a correct plan passes, and deliberately wrong plans fail.
@Suite(.serialized, .ownThread) struct AppTestsTests {
    private let app = AppTests(AllesTeurerPlan.self)

    @Test func aPlanThatIsRightPassesEveryCheck() async throws {
        try await app.checkLaws()
        try app.checkPublished()
        try await app.checkVersions()
        try await app.checkMigrations()
    }

    @Test func aConversionThatGivesAnotherResultEachTimeIsFoundByTheLawsAndBetweenVersions() async throws {
        let app = AppTests(Wobbling.self)
        await expect(says: "bestPricePerQuantity") { try await app.checkLaws(seed: 7) }
        await expect(says: "1.0.0 writes, 2.0.0 reads") { try await app.checkVersions(seed: 7) }
    }

    @Test func aVersionThatWasEditedAfterItWasFrozenIsFound() async throws {
        let copy = try PublishedCopy()
        try FileManager.default.copyItem(
            atPath: Repository.migrationsDirectory + "/sync", toPath: copy.path("Migrations/sync"))
        _ = try await copy.publication(NotesPlan.self).freeze(cases: 1, seed: 1)
        func app(_ declaration: any SchemaMigrationPlan.Type) -> AppTests {
            AppTests(
                declaration, migrations: copy.path("Migrations"), fixtures: copy.path(Publication.fixturesPath))
        }
        try app(NotesPlan.self).checkPublished()
        await expect(says: "3.0.0") { try app(NotesPlan.Edited.self).checkPublished() }
        await expect(says: "no folder ‘allesteurer’") { try app(AllesTeurerPlan.self).checkPublished() }
    }

    @Test func aDatabaseHasTheTablesOfTheAppAndIsGoneAfterwards() async throws {
        let database = try await app.withDatabase { database in
            let session = try await Session.open(try ConnectionString(database))
            let tables = try await session.execute(
                Command("SELECT count(*) FROM pg_tables WHERE schemaname = 'allesteurer'"))
            #expect(tables.number == 2)
            await session.close()
            return database
        }
        await #expect(throws: PGError.self) { try await Session.open(try ConnectionString(database)) }
    }

    @Test func aFleetOfTheAppsVersionsIsClean() async throws {
        try await app.checkFleet(["1.0.0": 1, "2.0.0": 2], server: try ServerProcess.executable(), steps: 300)
    }

    @Test func aFleetSaysWhatItLacks() async throws {
        await expect(says: "no version ‘7.0.0’; it has 1.0.0, 2.0.0, 3.0.0") {
            try await app.checkFleet(["7.0.0": 1], server: "/bin/sh")
        }
        await expect(says: "swift build") { try await app.checkFleet(["1.0.0": 1], server: "/nothing") }
        await expect(says: "needs a device") { try await app.checkFleet([:], server: "/bin/sh") }
    }

    /// Expects a failure whose text contains `text`.
    private func expect(
        says text: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("It found nothing.", sourceLocation: sourceLocation)
        } catch let failure as AppTestFailure {
            #expect(failure.description.contains(text), "\(failure)", sourceLocation: sourceLocation)
        } catch {
            Issue.record("It ended otherwise: \(error)", sourceLocation: sourceLocation)
        }
    }

    /// Alles-Teurer with a conversion whose results vary.
    private enum Wobbling: SchemaMigrationPlan {
        static let app = AllesTeurerPlan.app
        static let schemas = AllesTeurerPlan.schemas
        static let stages: [MigrationStage] = [
            .custom(fromVersion: AllesTeurer.SchemaV1.self, toVersion: AllesTeurer.SchemaV2.self) {
                Convert("ProductV1.bestPricePerQuantity", using: AnyNumber())
                Convert("ProductV1.highestPricePerQuantity", using: .doubleToDecimal)
                Convert("PurchaseV1.totalPrice", using: .doubleToDecimal)
                Convert("PurchaseV1.quantity", using: .doubleToDecimal)
            },
            .lightweight(fromVersion: AllesTeurer.SchemaV2.self, toVersion: AllesTeurer.SchemaV3.self),
        ]

        struct AnyNumber: Conversion {
            func up(_ number: Double) -> DecimalText {
                DecimalText("\(Int64.random(in: 0...Int64.max))") ?? .zero
            }
            func down(_ exact: DecimalText) -> Double { DoubleToDecimal().down(exact) }
            let fidelity = Fidelity.projecting
            var examples: [Double] { DoubleToDecimal().examples }
        }
    }
}
