import WireFormats

/// What the clocks of the database and of this machine say at one moment.
package struct ClockReading: Sendable {
    let database: Timestamp
    let host: Timestamp
    let steady: Duration
    /// By how much `database` may be off: half of the time that the question took.
    let uncertainty: Duration

    init(database: Timestamp, host: Timestamp, steady: Duration, uncertainty: Duration) {
        (self.database, self.host) = (database, host)
        (self.steady, self.uncertainty) = (steady, uncertainty)
    }

    /// Asks the database, in one round trip.
    package init(_ clock: HostClock, _ session: isolated Session) throws(PGError) {
        let asked = clock.steady()
        // Not now(), which is when the transaction began.
        let rows = try session.execute("SELECT clock_timestamp()")
        let (host, half) = (clock.wall(), (clock.steady() - asked) / 2)
        self.init(
            database: rows.timestamp(0, 0), host: host.adding(.zero - half), steady: asked + half, uncertainty: half)
    }
}
