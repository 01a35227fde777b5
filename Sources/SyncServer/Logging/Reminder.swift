import Synchronization

/// A limit on how often a lasting fault, such as an unreachable database, is logged. The fault is logged once, and
/// again at intervals while it lasts, but not at each request.
final class Reminder: Sendable {
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// The time between two log lines about the same fault. It is short enough for the fault to show at the end of a
    /// log, and long compared with the time between failing requests.
    static let interval = Duration.seconds(10)

    /// Returns true if a log line about the fault is due now. The next line is then due after `interval`.
    func isDue(at now: ContinuousClock.Instant = .now) -> Bool {
        last.withLock { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
    }
}
