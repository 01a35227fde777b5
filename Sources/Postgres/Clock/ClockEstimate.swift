import WireFormats

/// An estimate of the database's time between two readings of the database's clock. `DatabaseClock` keeps this value,
/// which itself needs no lock and no database.
///
/// Between readings, the estimate advances by this machine's steady clock, so that a change of the machine's wall clock
/// has no effect. A reading is accepted if it agrees with the estimate. It is also accepted if it agrees with this
/// machine's wall clock, because two of three clocks then agree.
///
/// Any other reading means that the database's clock has jumped, by a mistake or because another server has replaced
/// the database's server. A jump is accepted once enough readings confirm it, because all servers of a database must
/// agree in the end.
package struct ClockEstimate: Sendable {
    /// The estimate of the database's time at the moment when this machine's steady clock was zero.
    private var origin: Timestamp
    /// A suspected jump of the database's clock; `nil` if there is none. `readings` is the number of readings that
    /// confirm the jump so far. `origin` is the new value of the estimate's `origin` if the jump is accepted.
    private var jump: (origin: Timestamp, readings: Int)?
    /// The disagreement of the clocks at the latest reading; `nil` if there is none.
    package private(set) var disagreement: ClockDisagreement?

    /// The number of consecutive readings that must confirm a jump of the database's clock before it is accepted. They
    /// take ten minutes. If a new database server starts with a wrong clock, the clock is usually corrected within that
    /// time.
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
