import Synchronization
package import WireFormats

/// The server's hybrid logical clock: never goes back, never gives one reading twice in this process.
package final class HybridClock: Sendable {
    private let now: @Sendable () -> Timestamp
    private let last = Mutex<Int64>(0)

    /// - Parameter now: the wall time; tests give their own.
    package init(now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.now = now
    }

    /// The wall time.
    package var time: Timestamp { now() }

    /// The next reading. Two changes of one push get two, so that the later one wins.
    package func next() -> Stamp {
        let wall = Stamp(milliseconds: now().microseconds / 1000).rawValue
        return last.withLock { last in
            last = max(wall, last + 1)
            return Stamp(unchecked: last)
        }
    }

    /// How far a stamp may be ahead of the server before it is taken for a wrong clock. Phones that set their time from
    /// a network are within seconds; five minutes is what most protocols allow.
    package static let aheadMax = Duration.seconds(300)

    /// The latest stamp that is accepted as it is.
    package var latestAccepted: Stamp {
        Stamp(milliseconds: now().microseconds / 1000 + HybridClock.aheadMax.components.seconds * 1000, counter: 2047)
    }
}
