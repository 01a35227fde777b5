/// Announcements by a stream of events that the space has changed. If a stream announces something new again and again
/// and nothing arrives, each announcement is acted on later than the one before.
struct Rumours {
    /// True if the stream has announced something since the latest run.
    private var isTold = false
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
        if count <= Rumours.freeMax { return nil }
        let most = hasHeadMoved ? Rumours.unseenMaxSeconds : Backoff.stalledMaxSeconds
        return .seconds(min(Double(1 << (count - Rumours.freeMax)) / 2, most))
    }

    mutating func tell() { isTold = true }

    /// Notes that a run begins.
    ///
    /// - Returns: true if the stream asked for the run.
    mutating func begin() -> Bool {
        defer { isTold = false }
        return isTold
    }

    /// Notes that a run has ended, whatever its outcome.
    ///
    /// - Parameters:
    ///   - wasTold: the result of `begin`.
    ///   - hasCome: true if the run sent or read anything.
    mutating func end(wasTold: Bool, hasCome: Bool, hasHeadMoved: Bool) {
        self.hasHeadMoved = hasHeadMoved
        if hasCome { count = 0 } else if wasTold { count = min(count + 1, Rumours.countMax) }
    }
}
