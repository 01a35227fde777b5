import Glibc

/// The processor time of the calling thread (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID): what a synchronous piece of
/// work costs, whatever else the machine does.
enum ThreadCPU {
    /// Runs `body`, which must not suspend, and gives what it cost.
    static func time<Value>(_ body: () throws -> Value) rethrows -> (value: Value, cost: Duration) {
        let start = now
        let value = try body()
        return (value, now - start)
    }

    /// The cheapest of several runs.
    static func least<Value>(of runs: Int, _ body: () -> Value) -> (value: Value, cost: Duration) {
        (0..<runs).map { _ in time(body) }.min { $0.cost < $1.cost }!
    }

    private static var now: Duration {
        // As in `Timestamp.now`, the members of `timespec` are not named.
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 2) { words in
            let base = UnsafeMutableRawPointer(words.baseAddress!)
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, base.assumingMemoryBound(to: timespec.self))
            return .seconds(words[0]) + .nanoseconds(words[1])
        }
    }
}
