extension Timestamp {
    /// Later by `duration`, in whole microseconds; the last that there is, or the first, where that is beyond them.
    package func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(
            microseconds: microseconds.addingSaturating(seconds.multipliedSaturating(by: 1_000_000))
                .addingSaturating(attoseconds / 1_000_000_000_000))
    }

    /// How much later it is than another; negative where it is earlier. PostgreSQL's infinities are so many
    /// microseconds away that the difference may not be counted: then it is the greatest, or the least, that is.
    package func since(_ other: Timestamp) -> Duration {
        let (difference, isBeyond) = microseconds.subtractingReportingOverflow(other.microseconds)
        return .microseconds(isBeyond ? (microseconds < 0 ? .min : .max) : difference)
    }
}
