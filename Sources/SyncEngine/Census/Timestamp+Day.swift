import WireFormats

extension Timestamp {
    /// The day in UTC, such as `2026-11-02`.
    package var day: String { String(description.prefix(10)) }

    /// The minute in UTC, such as `2026-11-02 14:03 UTC`.
    package var minute: String { "\(day) \(description.dropFirst(11).prefix(5)) UTC" }
}
