import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// The generic cell rate algorithm: what comes within any time is at most the burst and what the rate allows meanwhile.
@Suite struct RateMeterTests {
    private static let second: Int64 = 1_000_000_000

    @Test func theBurstComesAtOnceAndThenTheRate() {
        let meter = RateMeter(RateLimit(perSecond: 10, burst: 5))
        let granted = (0..<8).map { _ in meter.take(1, for: 1, now: 0).isGranted }
        #expect(granted == Array(repeating: true, count: 5) + Array(repeating: false, count: 3))
        let refused = meter.take(1, for: 1, now: 0)
        #expect(refused.wait == Self.second / 10 && refused.remaining == 0)
        #expect(!meter.take(1, for: 1, now: refused.wait - 1).isGranted)
        #expect(meter.take(1, for: 1, now: refused.wait).isGranted)
        // Another's is untouched, and all is back after half a second of nothing.
        #expect(meter.take(5, for: 2, now: 0) == .init(isGranted: true, remaining: 0, wait: 0))
        #expect(meter.take(5, for: 1, now: refused.wait + Self.second / 2).isGranted)
    }

    @Test(arguments: [1, 2, UInt64.random(in: 3 ... .max)])
    func noTimeHasMoreThanTheBurstAndTheRate(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let limit = RateLimit(
            perSecond: Int.random(in: 1...1_000, using: &random), burst: Int.random(in: 1...5_000, using: &random))
        let meter = RateMeter(limit)
        var now: Int64 = 0
        var granted: [(at: Int64, cost: Int)] = []
        var refusals = 0
        for _ in 0..<3_000 {
            now += Int64.random(in: 0...(2 * Self.second / Int64(limit.perSecond)), using: &random)
            let cost = Int.random(in: 1...max(1, limit.burst / 10), using: &random)
            let outcome = meter.take(cost, for: 7, now: now)
            if outcome.isGranted { granted.append((now, cost)) } else { refusals += 1 }
            // What is said of when to come back is true, and not more than it takes.
            if !outcome.isGranted {
                #expect(outcome.wait > 0 && outcome.wait <= Int64(cost) * Self.second / Int64(limit.perSecond) + 1)
            }
        }
        #expect(refusals > 0, "seed \(seed): nothing was refused")
        for start in stride(from: 0, to: granted.count, by: 7) {
            var sum = 0
            for one in granted[start...] {
                sum += one.cost
                let seconds = Double(one.at - granted[start].at) / 1e9
                let most = Double(limit.burst) + seconds * Double(limit.perSecond)
                #expect(Double(sum) <= most * 1.000_001 + 0.001, "seed \(seed)")
            }
        }
    }

    @Test func onlySoManyKeysAreKept() {
        let meter = RateMeter(RateLimit(perSecond: 1, burst: 2))
        for key in 0..<RateMeter.keysMax { _ = meter.take(1, for: key, now: 0) }
        #expect(meter.keyCount == RateMeter.keysMax)
        // A second later all of it is paid.
        _ = meter.take(2, for: -1, now: Self.second)
        #expect(meter.keyCount == 1)
        for key in 0..<RateMeter.keysMax { _ = meter.take(2, for: key, now: Self.second) }
        #expect(meter.keyCount <= RateMeter.keysMax)
    }
}
