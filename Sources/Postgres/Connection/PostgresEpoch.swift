import WireFormats

/// Conversions between PostgreSQL's times and `Timestamp`. PostgreSQL counts `timestamptz` in microseconds from
/// 2000-01-01T00:00:00Z, `Timestamp` from 1970.
enum PostgresEpoch {
    /// The time from 1970-01-01 to 2000-01-01: 10,957 days.
    private static let offsetMicroseconds: Int64 = 946_684_800_000_000

    /// Converts a time to PostgreSQL's microseconds. Never returns the bit pattern that means `-infinity` to
    /// PostgreSQL: a time that is too early becomes a value that PostgreSQL refuses.
    static func microseconds(of timestamp: Timestamp) -> Int64 {
        let (shifted, overflow) = timestamp.microseconds.subtractingReportingOverflow(offsetMicroseconds)
        return overflow || shifted == .min ? .min + 1 : shifted
    }

    /// Converts PostgreSQL's microseconds (since 2000) to a `Timestamp`. A time outside the range of `Timestamp`, such
    /// as an infinity, becomes its first or last value.
    static func timestamp(microseconds: Int64) -> Timestamp {
        if microseconds == .min { return Timestamp(microseconds: .min) }
        let (shifted, overflow) = microseconds.addingReportingOverflow(offsetMicroseconds)
        return Timestamp(microseconds: overflow ? .max : shifted)
    }
}
