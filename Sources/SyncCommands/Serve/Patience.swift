/// A wait with a time limit for work that may never end, such as a request whose computation does not end.
enum Patience {
    /// Runs `work`, and returns when it has ended or after `limit`, whichever is earlier. Unfinished work continues in
    /// the background until the caller ends the process.
    ///
    /// - Returns: true if the work has ended.
    static func wait(atMost limit: Duration, for work: @escaping @Sendable () async -> Void) async -> Bool {
        let (ends, continuation) = AsyncStream<Bool>.makeStream()
        Task {
            await work()
            continuation.yield(true)
        }
        let watch = Task {
            // Cancelled if the work has ended.
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
