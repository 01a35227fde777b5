import WireFormats

/// An estimate of the database's time between two readings: the state behind `DatabaseClock`, without its lock and
/// without a database.
///
/// Between readings, time goes on by this machine's steady clock, so that a change of the machine's wall clock has no
/// effect. A later reading is accepted if it is as expected, or if this machine's clock shows the same: two of three
/// agree. Otherwise the database's clock has jumped, by a mistake or because another server has replaced it. A jump is
/// accepted once it has lasted, because all servers of a database must agree in the end.
package struct ClockEstimate: Sendable {
    /// The database's time when the steady clock was at zero.
    private var origin: Timestamp
    /// The origin to which the database's clock has jumped, and the number of readings that confirm the jump.
    private var jump: (origin: Timestamp, readings: Int)?
    /// The disagreement that the latest reading shows.
    package private(set) var disagreement: ClockDisagreement?

    /// The number of consecutive readings that must confirm a jump of the database's clock before it is accepted: ten
    /// minutes' worth. A wrong clock of a new server is set right within minutes.
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
            // A difference within the uncertainty is ignored.
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
