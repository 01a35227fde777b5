/// A record of the announcements of changes that came on an event stream. If announcements continue and no change
/// arrives, each announcement starts a sync after a longer pause than the one before.
struct Announcements {
    /// True if the stream has announced a change since the latest sync began.
    private var hasAnnounced = false
    /// The number of announced changes in a row for which a sync received and sent nothing.
    private var count = 0
    /// True if the latest sync's answers reported a newer head (number of the space's latest change) than the answers
    /// before. If no change arrived, this version of the app may be unable to see the new change.
    private var hasHeadMoved = false

    /// The number of announcements in a row that may bring no change before pauses begin. A few are normal, because
    /// another process of the app may have read the change already.
    static let freeMax = 2
    /// The largest value of `count`, at which the pause has long reached its limit.
    private static let countMax = 16
    /// The longest pause, in seconds, while the server reports new changes in the space that this version of the app
    /// cannot see.
    private static let unseenMaxSeconds = 10.0

    /// The time to wait between the next announcement of a change and the sync that it starts; `nil` to start the sync
    /// at once.
    var pause: Duration? {
        if count <= Announcements.freeMax { return nil }
        let most = hasHeadMoved ? Announcements.unseenMaxSeconds : Backoff.stalledMaxSeconds
        return .seconds(min(Double(1 << (count - Announcements.freeMax)) / 2, most))
    }

    mutating func note() { hasAnnounced = true }

    /// Records that a sync begins.
    ///
    /// - Returns: true if the announcement of a change caused the sync.
    mutating func begin() -> Bool {
        defer { hasAnnounced = false }
        return hasAnnounced
    }

    /// Updates the count of announcements without a received change. It is called after each sync, even one that
    /// failed.
    ///
    /// - Parameters:
    ///   - wasAnnounced: true if the announcement of a change caused the sync.
    ///   - hasCome: true if the sync sent or received anything.
    ///   - hasHeadMoved: true if the sync's answers reported another head (number of the space's latest change) than
    ///     the answers before the sync.
    mutating func end(wasAnnounced: Bool, hasCome: Bool, hasHeadMoved: Bool) {
        self.hasHeadMoved = hasHeadMoved
        if hasCome { count = 0 } else if wasAnnounced { count = min(count + 1, Announcements.countMax) }
    }
}
