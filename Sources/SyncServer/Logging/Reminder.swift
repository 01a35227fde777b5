import Synchronization

/// Says that something is so once, and again as long as it goes on; not at each request that meets it.
final class Reminder: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Often enough to be seen at the end of a log, and nothing beside the requests that fail.
    static let interval = Duration.seconds(10)

    /// Whether to say it now.
    func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        last.withLock { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
    }
}
