package import WireFormats

/// A future moment as an operator states it: a time from now, or a date.
package enum Moment: Sendable, Hashable {
    case after(Duration)
    case at(Timestamp)

    /// Returns the moment as a time.
    ///
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

/// The error of a moment that is over.
package struct PastMoment: Error, Hashable {
    package let time: Timestamp
    /// The database's time.
    package let now: Timestamp
}
