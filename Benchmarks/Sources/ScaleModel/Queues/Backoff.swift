/// The pauses of the client library between attempts (docs/client.md): random, and doubled each time up to a minute.
enum Backoff {
    /// Returns the next pause in seconds, and the longest value of the one after it.
    ///
    /// - Parameters:
    ///   - longest: the longest value of this pause, in seconds.
    ///   - least: the pause that the server asks for, in seconds; 0 for none.
    static func pause(_ longest: Float, atLeast least: Double, _ random: inout RandomSource) -> (Double, Float) {
        let chosen = Double(longest) / 2 * (1 + random.unit())
        let asked = least > 0 ? least + random.unit() : 0
        return (max(chosen, asked), min(longest * 2, Float(Limit.retryPauseSeconds.longest)))
    }

    /// Returns the same without randomness, as a client would do that only doubles its pauses.
    static func equalPause(_ longest: Float, atLeast least: Double) -> (Double, Float) {
        (max(Double(longest), least), min(longest * 2, Float(Limit.retryPauseSeconds.longest)))
    }
}
