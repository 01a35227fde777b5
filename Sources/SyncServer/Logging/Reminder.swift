import Synchronization

/// A limit on repeated log lines: a condition is logged once, and again at intervals while it lasts, not at each
/// request that meets it.
final class Reminder: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// The time between two lines: short, so that the condition shows at the end of a log, and long compared with the
    /// time between failing requests.
    static let interval = Duration.seconds(10)

    /// Returns true if the line should be logged now. The next line is then due after `interval`.
    func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        last.withLock { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
    }
}
