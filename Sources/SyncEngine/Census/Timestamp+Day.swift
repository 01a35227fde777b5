import WireFormats

extension Timestamp {
    /// `2026-11-02`, in UTC.
    package var day: String { String(description.prefix(10)) }

    /// `2026-11-02 14:03 UTC`
    package var minute: String { "\(day) \(description.dropFirst(11).prefix(5)) UTC" }
}
