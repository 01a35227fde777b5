import PGMigrations
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import Workshop

/// Versions whose ids are UUIDs with versions whose ids are texts, in every pair.
@Suite(.serialized, .ownThread) struct TextIDCompatTests {
    private static func lines() throws -> [MigrationLine] {
        let server = try MigrationLine.read(
            directory: "\(Repository.migrationsDirectory)/\(MigrationLine.serverLineName)")
        return [server, try MigrationLine.read(directory: "\(Repository.root)/Tests/Workshop/Migrations/tags")]
    }

    @Test func everyLawHolds() async throws {
        let report = await Laws.check(try Plan(TagsPlan.self), seed: .random(in: 0 ... .max))
        #expect(report.isLawful, "\(report)")
    }

    @Test func everyVersionGetsAlongWithEveryOther() async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let plan = try Plan(TagsPlan.self)
        let all = Array(plan.schemas.indices)
        let outcomes = try await TemporaryServer.with(plan, lines: Self.lines()) { server in
            let run = CompatRun(plan: plan, server: server.url, space: "me", token: server.token, seed: seed)
            var outcomes: [CompatOutcome] = []
            // Ids are new in each run.
            for _ in 0..<3 { outcomes += try await run.run(writers: all, readers: all) }
            return outcomes
        }
        #expect(outcomes.count == 27)
        for outcome in outcomes { #expect(outcome.isGreen, "\(outcome), seed \(seed)") }
    }
}
