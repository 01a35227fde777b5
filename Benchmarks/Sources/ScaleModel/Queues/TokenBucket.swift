/// A rate limit: a bucket of tokens that is refilled at a constant rate. Each request takes a token.
struct TokenBucket {
    private let perSecond: Double
    private let burst: Double
    private var level: Double
    private var filledAt = 0.0

    init(_ rate: (perSecond: Double, burst: Double)) {
        (perSecond, burst, level) = (rate.perSecond, rate.burst, rate.burst)
    }

    /// Takes a token; returns false if there is none.
    mutating func take(at time: Double) -> Bool {
        level = min(burst, level + (time - filledAt) * perSecond)
        filledAt = time
        guard level >= 1 else { return false }
        level -= 1
        return true
    }
}
