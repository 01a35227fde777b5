import DemoApps
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

extension CompatTests {
    /// Each variant writes for all shapes of its app, and reads from all.
    @Test("S3_12: every shape of a number works with every other shape", arguments: ["fitiq", "keeptrack"])
    func everyVariantGetsAlongWithEveryShape(app: String) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let plan = try Plan(try #require(DemoApps.all.first { $0.app == app }))
        let variants = plan.shapes.indices.filter(plan.isVariant)
        #expect(!variants.isEmpty)
        let outcomes = try await TemporaryServer.with(plan, lines: Repository.migrations(of: app)) { server in
            let run = CompatRun(plan: plan, server: server.url, space: "me", token: server.token, seed: seed)
            return try await run.run(writers: variants, readers: Array(plan.shapes.indices))
                + run.run(writers: Array(plan.schemas.indices), readers: variants)
        }
        #expect(outcomes.count == variants.count * (plan.shapes.count + plan.schemas.count))
        for outcome in outcomes {
            #expect(outcome.isGreen, "\(app) \(outcome), seed \(seed)")
            #expect(outcome.entities >= 4)
        }
    }
}
