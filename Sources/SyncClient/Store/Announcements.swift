/// Announcements by a stream of events that the space has changed. If a stream announces something new again and again
/// and nothing arrives, each announcement is acted on later than the one before.
struct Announcements {
    /// True if the stream has announced something since the latest run.
    private var hasAnnounced = false
    /// The number of announcements in a row after which nothing arrived.
    private var count = 0
    /// True if the latest run's answers showed a moved head, too: the change may be one that this version does not see.
    private var hasHeadMoved = false

    /// The number of announcements in a row that cost no pause: the stream may report what another process of the app
    /// has read already.
    static let freeMax = 2
    /// The count beyond which pauses grow no more.
    private static let countMax = 16
    /// The longest pause, in seconds, where the head does move.
    private static let unseenMaxSeconds = 10.0

    /// The pause before the next announcement is acted on; `nil` for none.
    var pause: Duration? {
        if count <= Announcements.freeMax { return nil }
        let most = hasHeadMoved ? Announcements.unseenMaxSeconds : Backoff.stalledMaxSeconds
        return .seconds(min(Double(1 << (count - Announcements.freeMax)) / 2, most))
    }

    mutating func note() { hasAnnounced = true }

    /// Notes that a run begins.
    ///
    /// - Returns: true if the stream asked for the run.
    mutating func begin() -> Bool {
        defer { hasAnnounced = false }
        return hasAnnounced
    }

    /// Notes that a run has ended, whatever its outcome.
    ///
    /// - Parameters:
    ///   - wasAnnounced: the result of `begin`.
    ///   - hasCome: true if the run sent or read anything.
    mutating func end(wasAnnounced: Bool, hasCome: Bool, hasHeadMoved: Bool) {
        self.hasHeadMoved = hasHeadMoved
        if hasCome { count = 0 } else if wasAnnounced { count = min(count + 1, Announcements.countMax) }
    }
}
