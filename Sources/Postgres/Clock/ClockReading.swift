import WireFormats

/// One reading of the clocks of the database and of this machine at the same moment.
package struct ClockReading: Sendable {
    let database: Timestamp
    let host: Timestamp
    let steady: Duration
    /// The greatest possible error of `database` (the reading of the database's clock): half of the time that the query
    /// took.
    let uncertainty: Duration

    init(database: Timestamp, host: Timestamp, steady: Duration, uncertainty: Duration) {
        (self.database, self.host) = (database, host)
        (self.steady, self.uncertainty) = (steady, uncertainty)
    }

    /// Reads the database's clock in one round trip.
    package init(_ clock: HostClock, _ session: isolated Session) throws(PGError) {
        let asked = clock.steady()
        // Not now(), which is the time when the transaction began.
        let rows = try session.execute("SELECT clock_timestamp()")
        let (host, half) = (clock.wall(), (clock.steady() - asked) / 2)
        self.init(
            database: rows.timestamp(0, 0), host: host.adding(.zero - half), steady: asked + half, uncertainty: half)
    }
}
