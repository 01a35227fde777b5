import Synchronization
package import WireFormats

/// A wall clock that always shows the same time, until a test changes it.
package final class TestWallClock: Sendable {
    private let microseconds: Mutex<Int64>

    package init(seconds: Int64) {
        microseconds = Mutex(seconds * 1_000_000)
    }

    /// The function with which a server reads the clock.
    package var now: @Sendable () -> Timestamp {
        { Timestamp(microseconds: self.microseconds.withLock { $0 }) }
    }

    package func advance(seconds: Int64) {
        microseconds.withLock { $0 += seconds * 1_000_000 }
    }

    /// Returns the stamp of a device whose clock is this many seconds ahead of this clock.
    package func stamp(ahead seconds: Int64) -> Int64 {
        Stamp(milliseconds: now().microseconds / 1000 + seconds * 1000).rawValue
    }
}
