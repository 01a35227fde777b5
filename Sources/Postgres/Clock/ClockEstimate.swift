import WireFormats

/// What the database's clock says, between two looks at it: the state behind `DatabaseClock`, without its lock and
/// without a database.
///
/// From one reading to the next, time goes on as this machine's steady clock counts, so that nobody who sets the
/// machine's clock is felt. A later reading is believed where it says what was expected, or where this machine's clock
/// says the same: two of three. Otherwise the database's clock has jumped, by a mistake, or because another server has
/// taken its place: that is believed once it has lasted, because all servers of a database must agree in the end.
package struct ClockEstimate: Sendable {
    /// The database's time when the steady clock was at zero.
    private var origin: Timestamp
    /// Where the database's clock has jumped to, and how many readings said so.
    private var jump: (origin: Timestamp, readings: Int)?
    /// What is wrong, as the latest reading shows.
    package private(set) var disagreement: ClockDisagreement?

    /// How many readings on end must say that the database's clock has jumped before that is believed: ten minutes'.
    /// A new server's clock is set right within minutes where it was wrong.
    static let readingsMin = 20

    package init(_ first: ClockReading) {
        origin = first.origin
        judge(first)
    }

    func time(at steady: Duration) -> Timestamp { origin.adding(steady) }

    mutating func take(_ reading: ClockReading) {
        let moved = reading.origin.since(origin).magnitude
        let isConfirmed = reading.database.since(reading.host).magnitude <= reading.tolerance
        if moved <= reading.tolerance || isConfirmed {
            // What is within the uncertainty is no news.
            if moved > reading.uncertainty { origin = reading.origin }
            jump = nil
        } else {
            noteJump(reading)
        }
        judge(reading)
    }

    private mutating func noteJump(_ reading: ClockReading) {
        let lasts = jump.map { reading.origin.since($0.origin).magnitude <= reading.tolerance } ?? false
        let readings = lasts ? (jump?.readings ?? 0) + 1 : 1
        jump = (reading.origin, readings)
        guard readings >= ClockEstimate.readingsMin else { return }
        origin = reading.origin
        jump = nil
    }

    private mutating func judge(_ reading: ClockReading) {
        let differs = reading.database.since(reading.host).magnitude > reading.tolerance
        let kind: ClockDisagreement.Kind? = jump != nil ? .databaseJumped : differs ? .hostDiffers : nil
        disagreement = kind.map {
            ClockDisagreement(
                kind: $0, host: reading.host, database: reading.database, expected: time(at: reading.steady))
        }
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}

extension ClockReading {
    fileprivate var origin: Timestamp { database.adding(.zero - steady) }
    fileprivate var tolerance: Duration { ClockDisagreement.differenceMax + uncertainty }
}
