extension Timestamp {
    /// This time plus `duration`, in whole microseconds, clamped to the earliest and the latest representable time.
    package func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(
            microseconds: microseconds.addingSaturating(seconds.multipliedSaturating(by: 1_000_000))
                .addingSaturating(attoseconds / 1_000_000_000_000))
    }

    /// The duration from `other` to this time; negative if this time is earlier. If the difference in microseconds
    /// overflows, as it may with PostgreSQL's infinities, it is the greatest or the least representable duration.
    package func since(_ other: Timestamp) -> Duration {
        let (difference, isBeyond) = microseconds.subtractingReportingOverflow(other.microseconds)
        return .microseconds(isBeyond ? (microseconds < 0 ? .min : .max) : difference)
    }
}
