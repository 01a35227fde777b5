/// A record of the announcements of changes that came on an event stream. If announcements continue and no change
/// arrives, each announcement starts a sync after a longer pause than the one before.
struct Announcements {
    /// True if the stream has announced a change since the latest sync began.
    private var hasAnnounced = false
    /// The number of successive announcements after which the sync received and sent nothing.
    private var count = 0
    /// True if the latest sync's answers reported a newer head (number of the space's latest change) than the answers
    /// before. If no change arrived, this version of the app may be unable to see the new change.
    private var hasHeadMoved = false

    /// The number of announcements in a row that may start a sync without a pause although no change arrives. A few are
    /// normal, because another process of the app may have read the change already.
    static let freeMax = 2
    /// The number of announcements in a row without a received change after which the pause does not grow any more.
    private static let countMax = 16
    /// The longest pause, in seconds, while the server reports new changes in the space that this version of the app
    /// cannot see.
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

    /// Updates the count of announcements after a sync, with or without success.
    ///
    /// - Parameters:
    ///   - wasAnnounced: true if an announcement caused the sync, as `begin` has returned.
    ///   - hasCome: true if the sync sent or received anything.
    ///   - hasHeadMoved: true if the sync's answers reported another head (number of the space's latest change) than
    ///     the answers before the sync.
    mutating func end(wasAnnounced: Bool, hasCome: Bool, hasHeadMoved: Bool) {
        self.hasHeadMoved = hasHeadMoved
        if hasCome { count = 0 } else if wasAnnounced { count = min(count + 1, Announcements.countMax) }
    }
}
