package import WireFormats

/// A future time as an operator states it: either a duration from now, or a date.
package enum Moment: Sendable, Hashable {
    case after(Duration)
    case at(Timestamp)

    /// Returns the point in time that the operator means.
    ///
    /// - Parameter now: the database's time, from which a duration is counted.
    /// - Throws: `PastMoment`, if the date is not after `now`.
    package func time(at now: Timestamp) throws(PastMoment) -> Timestamp {
        switch self {
        case .after(let duration): return now.adding(duration)
        case .at(let time):
            guard time > now else { throw PastMoment(time: time, now: now) }
            return time
        }
    }
}

/// The error for a moment that is not in the future.
package struct PastMoment: Error, Hashable {
    package let time: Timestamp
    /// The database's time when `time` was checked. `time` is not after it.
    package let now: Timestamp
}
