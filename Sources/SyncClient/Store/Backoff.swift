/// Growing, random pauses between attempts, so that not all devices contact a server at once when it is available
/// again.
struct Backoff {
    private var seconds = Backoff.firstSeconds
    private static let firstSeconds = 0.5
    /// The longest pause while a server cannot be reached, in seconds.
    private static let maxSeconds = 60.0
    /// The longest pause, in seconds, while answers make no progress. It is long because each such answer may be as
    /// large as a full page of records.
    static let stalledMaxSeconds = 900.0

    /// Returns a random pause before the next attempt. The range of the pause doubles with each call, up to a limit.
    ///
    /// - Parameters:
    ///   - least: the pause that the server asks for, in seconds; `nil` if it asks for none.
    ///   - isStalled: true if an answer arrived and made no progress.
    mutating func next(atLeast least: Double?, isStalled: Bool = false) -> Duration {
        let pause = Double.random(in: seconds / 2...seconds)
        seconds = min(seconds * 2, isStalled ? Backoff.stalledMaxSeconds : Backoff.maxSeconds)
        return .seconds(max(pause, RetryPause.bounded(least).map { $0 + Double.random(in: 0...1) } ?? 0))
    }
}
