extension Timestamp {
    /// Later by `duration`, in whole microseconds.
    package func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(microseconds: microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    /// How much later it is than another; negative where it is earlier.
    package func since(_ other: Timestamp) -> Duration { .microseconds(microseconds - other.microseconds) }
}
