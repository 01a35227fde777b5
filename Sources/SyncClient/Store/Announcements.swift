/// The changes of the space that an event stream has announced. If announcements continue and no change arrives, each
/// one starts a sync after a longer pause than the one before.
struct Announcements {
    /// True if the stream has announced a change since the latest run of syncing began.
    private var hasAnnounced = false
    /// The number of announcements in a row after which a sync received and sent nothing.
    private var count = 0
    /// True if the latest run's answers also had a newer head. Then the change may be one that this version cannot see.
    private var hasHeadMoved = false

    /// The number of announcements without any change received that cause no pause yet. The stream may announce a
    /// change that another process of the app has already read.
    static let freeMax = 2
    /// The number of announcements in a row after which the pause does not grow any more.
    private static let countMax = 16
    /// The longest pause, in seconds, if the answers show a newer head: the space does change.
    private static let unseenMaxSeconds = 10.0

    /// The pause before the next announcement starts a sync; `nil` for no pause.
    var pause: Duration? {
        if count <= Announcements.freeMax { return nil }
        let most = hasHeadMoved ? Announcements.unseenMaxSeconds : Backoff.stalledMaxSeconds
        return .seconds(min(Double(1 << (count - Announcements.freeMax)) / 2, most))
    }

    mutating func note() { hasAnnounced = true }

    /// Records that a run of syncing begins.
    ///
    /// - Returns: true if an announcement caused the run.
    mutating func begin() -> Bool {
        defer { hasAnnounced = false }
        return hasAnnounced
    }

    /// Records that a run of syncing has ended, with or without success.
    ///
    /// - Parameters:
    ///   - wasAnnounced: the result of `begin`.
    ///   - hasCome: true if the run sent or read anything.
    mutating func end(wasAnnounced: Bool, hasCome: Bool, hasHeadMoved: Bool) {
        self.hasHeadMoved = hasHeadMoved
        if hasCome { count = 0 } else if wasAnnounced { count = min(count + 1, Announcements.countMax) }
    }
}
