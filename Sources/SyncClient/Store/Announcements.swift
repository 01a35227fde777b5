/// A record of the announcements of changes that came on an event stream. If announcements continue and no change
/// arrives, each announcement starts a sync after a longer pause than the one before.
struct Announcements {
    /// True if the stream has announced a change since the latest sync began.
    private var hasAnnounced = false
    /// The number of successive announcements after which the sync received and sent nothing.
    private var count = 0
    /// True if the latest sync's answers had a newer head (number of the space's latest change) than the answers
    /// before. Then the announced change may be one that this version cannot see.
    private var hasHeadMoved = false

    /// The number of successive announcements without a received change that cause no pause. A few are normal: another
    /// process of the app may have read the announced change already.
    static let freeMax = 2
    /// The number of successive announcements without a received change after which the pause does not grow any more.
    private static let countMax = 16
    /// The longest pause, in seconds, if answers have a newer head (number of the latest change): then the space does
    /// change.
    private static let unseenMaxSeconds = 10.0

    /// The pause before the next announcement starts a sync; `nil` for no pause.
    var pause: Duration? {
        if count <= Announcements.freeMax { return nil }
        let most = hasHeadMoved ? Announcements.unseenMaxSeconds : Backoff.stalledMaxSeconds
        return .seconds(min(Double(1 << (count - Announcements.freeMax)) / 2, most))
    }

    mutating func note() { hasAnnounced = true }

    /// Records that a sync begins.
    ///
    /// - Returns: true if an announcement caused the sync.
    mutating func begin() -> Bool {
        defer { hasAnnounced = false }
        return hasAnnounced
    }

    /// Records that a sync has ended, with or without success.
    ///
    /// - Parameters:
    ///   - wasAnnounced: the result of `begin`.
    ///   - hasCome: true if the sync sent or received anything.
    ///   - hasHeadMoved: true if the answers had another head (number of the latest change) than the answers before the
    ///     sync.
    mutating func end(wasAnnounced: Bool, hasCome: Bool, hasHeadMoved: Bool) {
        self.hasHeadMoved = hasHeadMoved
        if hasCome { count = 0 } else if wasAnnounced { count = min(count + 1, Announcements.countMax) }
    }
}
