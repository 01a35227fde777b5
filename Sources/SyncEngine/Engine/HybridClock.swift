import PGStore
package import Postgres
import Synchronization
package import WireFormats

/// The server's hybrid logical clock. Its readings never go back, and no reading occurs twice in this process.
package final class HybridClock: Sendable {
    private let source: Source
    private let last = Mutex<Int64>(0)

    private enum Source: Sendable {
        case database(DatabaseClock)
        case given(@Sendable () -> Timestamp)
    }

    /// Creates a clock that follows the database's clock, as every other server of the database does.
    package init(_ clock: DatabaseClock) {
        source = .database(clock)
    }

    /// Creates a clock that follows `now`.
    ///
    /// - Parameter now: returns the wall time; for callers without a database, and for tests that need a particular
    ///   time.
    package init(now: @escaping @Sendable () -> Timestamp = { .now }) {
        source = .given(now)
    }

    /// The current wall time, by the clock that this clock follows.
    package var time: Timestamp {
        switch source {
        case .database(let clock): clock.time
        case .given(let now): now()
        }
    }

    /// The database's clock; `nil` if the time comes from a closure.
    package var database: DatabaseClock? {
        if case .database(let clock) = source { clock } else { nil }
    }

    /// Returns the database's current time, for decisions to remove something because of its age.
    ///
    /// - Throws: `ClockDisagreement`, if the database's clock and another clock disagree; `PGError`.
    func timeToRemove(on session: Session) async throws -> Timestamp {
        try await database?.agreedTime(on: session) ?? time
    }

    /// Returns the next reading, which is later than all earlier ones. So if two changes of one push have no stamps,
    /// the second gets the later stamp and wins.
    package func next() -> Stamp {
        let wall = Stamp(milliseconds: time.microseconds / 1000).rawValue
        return last.withLock { last in
            last = max(wall, last + 1)
            return Stamp(unchecked: last)
        }
    }

    /// Makes all further readings later than `stamp`, which comes from another clock.
    package func observe(_ stamp: Stamp) {
        last.withLock { $0 = max($0, stamp.rawValue) }
    }

    /// The time by which a stamp may be ahead of the server before it is taken for a wrong clock, 300 s. Phones that
    /// set their time from a network are within seconds; five minutes is what most protocols allow.
    package static let aheadMax = Duration.seconds(300)

    /// The latest stamp that is accepted from a device as it was sent; a later one is replaced.
    package var latestAccepted: Stamp {
        Stamp(milliseconds: time.microseconds / 1000 + HybridClock.aheadMax.components.seconds * 1000, counter: 2047)
    }
}
