import DemoApps
import Testing
import WireFormats

/// Laws 1 to 7 for every version and entity of Alles-Teurer, on generated records.
struct AllesTeurerLawTests {
    @Test(
        "S4_02: the lens laws hold for every version and entity, on generated records",
        arguments: [1, 2026, UInt64.random(in: 0...UInt64(Int64.max))])
    func theLensLawsHold(seed: UInt64) async throws {
        let report = await Laws.check(try Plan(AllesTeurerPlan.self), cases: 400, seed: seed)
        #expect(report.isLawful, "\(report)")
    }
}
