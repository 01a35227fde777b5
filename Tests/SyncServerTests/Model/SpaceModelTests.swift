import Apps
import Glibc
import SyncModel
import SyncTestSupport
import Testing
import WireFormats

/// A real server against the model of what it promises, with fleets of every version and variant of every app.
@Suite struct SpaceModelTests {
    /// `MODEL_BATCHES=5000 swift test --filter SpaceModelTests` looks longer.
    private static let batches = getenv("MODEL_BATCHES").flatMap { Int(String(cString: $0)) } ?? 60

    @Test(
        "P1, P2: whatever devices of all versions do, each version reads what the promises say",
        arguments: Apps.all.indices, [1, 2, UInt64.random(in: 3 ... .max)])
    func everyVersionReadsWhatTheModelSays(app: Int, seed: UInt64) async throws {
        try await withTestServer(Apps.all[app]) { server in
            var run = try ModelRun(server, Apps.all[app], seed: seed)
            try await run.push(batches: SpaceModelTests.batches)
            let differences = run.differences(of: try await run.views(), from: run.model)
            #expect(differences == [], "\(server.plan.app), seed \(seed): \(differences.count)")
        }
    }
}
