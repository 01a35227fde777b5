/// What a stream of events says, and what comes of it. One that says again and again that there is something new, when
/// nothing comes, is believed later each time.
struct Rumours {
    /// Whether it has said so since the latest run.
    private var isTold = false
    /// How often in a row it has said so, and nothing came.
    private var count = 0
    /// Whether the latest run's answers said so, too: what moved may be what this version does not see.
    private var hasHeadMoved = false

    /// Rumours in a row that cost no pause: the stream may tell of what another process of the app has read already.
    static let freeMax = 2
    /// Beyond, pauses grow no more.
    private static let countMax = 16
    /// The longest pause where the head does move.
    private static let unseenMaxSeconds = 10.0

    /// How long to wait before the next is believed.
    var pause: Duration? {
        if count <= Rumours.freeMax { return nil }
        let most = hasHeadMoved ? Rumours.unseenMaxSeconds : Backoff.stalledMaxSeconds
        return .seconds(min(Double(1 << (count - Rumours.freeMax)) / 2, most))
    }

    mutating func tell() { isTold = true }

    /// Takes in that a run begins.
    ///
    /// - Returns: whether the stream asked for it.
    mutating func begin() -> Bool {
        defer { isTold = false }
        return isTold
    }

    /// Takes in that a run has ended, however.
    ///
    /// - Parameters:
    ///   - wasTold: what `begin` returned.
    ///   - hasCome: whether it sent or read anything.
    mutating func end(wasTold: Bool, hasCome: Bool, hasHeadMoved: Bool) {
        self.hasHeadMoved = hasHeadMoved
        if hasCome { count = 0 } else if wasTold { count = min(count + 1, Rumours.countMax) }
    }
}
