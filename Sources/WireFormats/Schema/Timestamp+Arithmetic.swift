extension Timestamp {
    /// The time later by `duration`, in whole microseconds, clamped to the first and last representable times.
    package func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(
            microseconds: microseconds.addingSaturating(seconds.multipliedSaturating(by: 1_000_000))
                .addingSaturating(attoseconds / 1_000_000_000_000))
    }

    /// The duration from another time to this one; negative if this one is earlier. PostgreSQL's infinities are so far
    /// away that the difference in microseconds may overflow: then it is the greatest, or the least, representable
    /// duration.
    package func since(_ other: Timestamp) -> Duration {
        let (difference, isBeyond) = microseconds.subtractingReportingOverflow(other.microseconds)
        return .microseconds(isBeyond ? (microseconds < 0 ? .min : .max) : difference)
    }
}
