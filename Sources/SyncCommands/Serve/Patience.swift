/// Waits for work that may never end, such as a request that computes on and on.
enum Patience {
    /// Runs `work`, and comes back when it has ended or `limit` is over, whichever is earlier. Work that has not ended
    /// goes on by itself: whoever asks is about to end the process.
    ///
    /// - Returns: whether it has ended.
    static func wait(atMost limit: Duration, for work: @escaping @Sendable () async -> Void) async -> Bool {
        let (ends, continuation) = AsyncStream<Bool>.makeStream()
        Task {
            await work()
            continuation.yield(true)
        }
        let watch = Task {
            // Cancelled where the work has ended.
            if (try? await Task.sleep(for: limit)) != nil { continuation.yield(false) }
        }
        var hasEnded = false
        for await end in ends {
            hasEnded = end
            break
        }
        watch.cancel()
        return hasEnded
    }
}
