import DemoApps
import Testing
import WireFormats

/// Laws 1 to 7 for every version and entity of FitIQ, on generated records.
struct FitIQLawTests {
    /// Fixed seeds that found faults before, and a random one that may find new faults.
    @Test(
        "S1_08, S2_07: the lens laws hold for every version and entity, on generated records",
        arguments: [1, 2026, UInt64.random(in: 0...UInt64(Int64.max))])
    func theLensLawsHold(seed: UInt64) async throws {
        let report = await Laws.check(try Plan(FitIQPlan.self), cases: 60, seed: seed)
        #expect(report.isLawful, "\(report)")
    }
}
