import Foundation
import PGMigrations
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import DemoApps

/// All versions of every app with a real server, and deliberately broken lenses, which must be detected.
@Suite(.serialized, .ownThread) struct CompatTests {
    /// Runs the pairs of `writers` and `readers` with a server that uses `served`, and expects the results of FitIQ's
    /// plan.
    private func outcomes(
        served: any SchemaMigrationPlan.Type, writers: [Int], readers: [Int], seed: UInt64
    ) async throws -> [CompatOutcome] {
        let truth = try Plan(FitIQPlan.self)
        return try await TemporaryServer.with(Plan(served), lines: Repository.migrations(of: "fitiq")) { server in
            let run = CompatRun(plan: truth, server: server.url, space: "me", token: server.token, seed: seed)
            return try await run.run(writers: writers, readers: readers)
        }
    }

    @Test("S1_11, S2_07, S4_13: every version of FitIQ works with every other")
    func everyVersionOfFitIQGetsAlongWithEveryOther() async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let all = Array(0..<11)
        let outcomes = try await outcomes(served: FitIQPlan.self, writers: all, readers: all, seed: seed)
        #expect(outcomes.count == 121)
        for outcome in outcomes {
            #expect(
                outcome.isGreen,
                """
                \(outcome.writer + 1) writes, \(outcome.reader + 1) reads, seed \(seed): \
                \(outcome.failure.map { "\($0.step): \($0.detail) \($0.requests)" } ?? "")
                """)
            #expect(outcome.entities >= 4, "every two versions share the four entities of V1")
        }
    }

    @Test(
        "S1_11, S4_13: every version of every other app works with every other",
        arguments: DemoApps.all.map { $0.app }.filter { $0 != "fitiq" })
    func everyVersionOfEveryOtherAppGetsAlongWithEveryOther(app: String) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let plan = try Plan(try #require(DemoApps.all.first { $0.app == app }))
        let all = Array(plan.schemas.indices)
        let outcomes = try await TemporaryServer.with(plan, lines: Repository.migrations(of: app)) { server in
            let run = CompatRun(plan: plan, server: server.url, space: "me", token: server.token, seed: seed)
            return try await run.run(writers: all, readers: all)
        }
        #expect(outcomes.count == all.count * all.count)
        for outcome in outcomes {
            #expect(outcome.isGreen, "\(app) \(outcome), seed \(seed)")
            #expect(outcome.entities >= 2)
        }
    }

    /// In CI one app; with `SYNC_TEST_DATABASES`, all apps.
    private static let dividedApps =
        ProcessInfo.processInfo.environment["SYNC_TEST_DATABASES"] == nil ? ["keeptrack"] : DemoApps.all.map { $0.app }

    @Test("S1_11, S4_13: so do they where another database than the directory has the space", arguments: dividedApps)
    func soDoTheyInASecondDatabase(app: String) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let plan = try Plan(try #require(DemoApps.all.first { $0.app == app }))
        let all = Array(plan.schemas.indices)
        let lines = try Repository.migrations(of: app)
        let outcomes = try await TemporaryServer.with(plan, lines: lines, isDivided: true) { server in
            let run = CompatRun(plan: plan, server: server.url, space: "me", token: server.token, seed: seed)
            return try await run.run(writers: all, readers: all)
        }
        #expect(outcomes.count == all.count * all.count)
        for outcome in outcomes { #expect(outcome.isGreen, "\(app) \(outcome), seed \(seed)") }
    }

    @Test(arguments: [(6, 7), (7, 6)])
    func aSplitThatDropsTheUnitTurnsThePairRed(writer: Int, reader: Int) async throws {
        let outcomes = try await outcomes(served: UnitDropped.self, writers: [writer], readers: [reader], seed: 7)
        #expect(outcomes.map(\.isGreen) == [false])
        let failure = try #require(outcomes[0].failure)
        #expect(failure.detail.contains("SDMealLogItem"), "\(failure)")
        #expect(!failure.requests.isEmpty)
    }

    @Test func aMoodScoreThatIsOffByOneTurnsThePairRed() async throws {
        let outcomes = try await outcomes(served: MoodOffByOne.self, writers: [8], readers: [9], seed: 7)
        #expect(outcomes.map(\.isGreen) == [false])
        #expect(outcomes[0].failure?.detail.contains("SDMoodEntry.value") == true, "\(outcomes[0])")
    }

    @Test func aFaultyLensLeavesPairsThatDoNotUseItGreen() async throws {
        let outcomes = try await outcomes(served: MoodOffByOne.self, writers: [0, 3], readers: [10], seed: 7)
        #expect(outcomes.map(\.isGreen) == [true, true], "\(outcomes)")
    }
}

/// FitIQ with a split that loses the unit when it converts to the newer version.
private enum UnitDropped: SchemaMigrationPlan {
    static let app = FitIQPlan.app
    static let schemas = FitIQPlan.schemas
    static let historicalVariants = FitIQPlan.historicalVariants
    static let stages: [MigrationStage] =
        FitIQPlan.stages[..<6] + [
            .custom(fromVersion: FitIQ.SchemaV7.self, toVersion: FitIQ.SchemaV8.self) {
                Convert("SDMealLogItem.quantity", to: "quantity", "unit", using: NumberOnly())
                UnknownCase("SDMeal.mealType", reads: "other")
                UnknownCase("SDMeal.status", reads: "completed")
                UnknownCase("SDMeal.syncStatus", reads: "synced")
            }
        ] + FitIQPlan.stages[7...]

    struct NumberOnly: Conversion {
        func up(_ whole: String) -> (Double, String) { (QuantityText().up(whole).0, "") }
        func down(_ parts: (Double, String)) -> String { QuantityText().down((parts.0, "")) }
        var examples: [String] { QuantityText().examples }
    }
}

/// FitIQ with a mood score that is one too high in the newer version.
private enum MoodOffByOne: SchemaMigrationPlan {
    static let app = FitIQPlan.app
    static let schemas = FitIQPlan.schemas
    static let historicalVariants = FitIQPlan.historicalVariants
    static let stages: [MigrationStage] =
        FitIQPlan.stages[..<8] + [
            .custom(fromVersion: FitIQ.SchemaV9.self, toVersion: FitIQ.SchemaV10.self) {
                Convert("SDMoodEntry.valence", to: "value", using: OffByOne())
                Convert("SDRecognizedFoodItem.calories", using: FractionalCalories())
                Substitute("SDPhotoRecognition.loggedAt", .attribute("createdAt"))
            }
        ] + FitIQPlan.stages[9...]

    struct OffByOne: Conversion {
        func up(_ older: Double?) -> Int { MoodScore().up(older) + 1 }
        func down(_ newer: Int) -> Double? { MoodScore().down(newer) }
        let fidelity = Fidelity.lossy
        var examples: [Double?] { MoodScore().examples }
    }
}
