import Synchronization
package import WireFormats

/// A clock that shows the database's time. All servers of the database share this time, whatever their own machines'
/// clocks show.
package final class DatabaseClock: Sendable {
    private let host: HostClock
    private let estimate: Mutex<ClockEstimate>

    /// The time between two readings of the database's clock. In between, this machine's steady clock is off by
    /// milliseconds at most.
    package static let interval = Duration.seconds(30)

    private init(_ host: HostClock, _ first: ClockReading) {
        self.host = host
        estimate = Mutex(ClockEstimate(first))
    }

    /// Creates a clock from a first reading of the database's clock.
    ///
    /// - Throws: `PGError`.
    package static func start(
        _ host: HostClock = HostClock(), on session: Session
    ) async throws(PGError) -> DatabaseClock {
        DatabaseClock(host, try await read(host, session))
    }

    package var time: Timestamp {
        let steady = host.steady()
        return estimate.withLock { $0.time(at: steady) }
    }

    /// The disagreement of the clocks as of the latest reading; `nil` if there is none.
    package var disagreement: ClockDisagreement? { estimate.withLock { $0.disagreement } }

    /// Reads the database's clock once more.
    ///
    /// - Returns: the disagreement of the clocks; `nil` if there is none.
    /// - Throws: `PGError` if the reading failed. This clock then goes on from the earlier readings.
    @discardableResult
    package func measure(on session: Session) async throws(PGError) -> ClockDisagreement? {
        take(try await Self.read(host, session))
    }

    /// Reads the database's clock, and throws an error if it cannot be trusted. Use it before old data is removed,
    /// because a wrong clock would remove too much.
    ///
    /// - Throws: `ClockDisagreement` if a clock is wrong, this machine's or the database's; `PGError`.
    package func agreedTime(on session: Session) async throws -> Timestamp {
        let reading = try await Self.read(host, session)
        if let disagreement = take(reading) { throw disagreement }
        return reading.database
    }

    private func take(_ reading: ClockReading) -> ClockDisagreement? {
        estimate.withLock { estimate in
            estimate.take(reading)
            return estimate.disagreement
        }
    }

    private static func read(_ host: HostClock, _ session: isolated Session) throws(PGError) -> ClockReading {
        try ClockReading(host, session)
    }
}
