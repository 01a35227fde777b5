import SyncTestSupport
import Testing
import WireFormats

/// Promise P2 for merge policies: whatever the order, delay and repetition, and whoever writes in which version.
@Suite struct PolicyConvergenceTests {
    @Test(arguments: [1, 2, 3, UInt64.random(in: 4 ... .max)])
    func everyOrderOfEditsByEveryVersionEndsAsThePoliciesSay(seed: UInt64) async throws {
        try await ScoresPlan.withServer { server in
            let differences = try await PolicyTrial(seed: seed).differences(server)
            #expect(differences == [], "seed \(seed)")
        }
    }

    @Test func theTrialNoticesEachPolicyThatIsNotKept() async throws {
        try await ScoresPlan.$isPlain.withValue(true) {
            try await ScoresPlan.withServer { server in
                var found: Set<Substring> = []
                for seed in 1...6 as ClosedRange<UInt64> {
                    for difference in try await PolicyTrial(seed: seed).differences(server) {
                        found.insert(difference.prefix { $0 != ":" && $0 != " " })
                    }
                }
                #expect(found.isSuperset(of: ["best", "fastest", "played", "tags", "rank", "count", "wins"]))
            }
        }
    }

    @Test func theTrialNoticesWhatIsCountedTwice() async throws {
        try await ScoresPlan.withServer { server in
            let differences = try await PolicyTrial(seed: 1, forgetsIncrements: true).differences(server)
            #expect(differences.contains { $0.hasPrefix("count: ") })
        }
    }
}
