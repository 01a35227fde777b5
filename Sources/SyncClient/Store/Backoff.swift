/// Pauses that grow, and differ from device to device, so that a server that comes back is not met by all at once.
struct Backoff {
    private var seconds = Backoff.firstSeconds
    private static let firstSeconds = 0.5
    /// While a server is away.
    private static let maxSeconds = 60.0
    /// While answers come that lead nowhere: each may cost a page.
    static let stalledMaxSeconds = 900.0

    /// - Parameters:
    ///   - least: what the server asks for, in seconds.
    ///   - isStalled: whether an answer came and led nowhere.
    mutating func next(atLeast least: Double?, isStalled: Bool = false) -> Duration {
        let pause = Double.random(in: seconds / 2...seconds)
        seconds = min(seconds * 2, isStalled ? Backoff.stalledMaxSeconds : Backoff.maxSeconds)
        return .seconds(max(pause, RetryPause.bounded(least).map { $0 + Double.random(in: 0...1) } ?? 0))
    }
}
