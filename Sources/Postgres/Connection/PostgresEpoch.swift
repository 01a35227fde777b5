import WireFormats

/// PostgreSQL counts `timestamptz` in microseconds from 2000-01-01T00:00:00Z; we count from 1970.
enum PostgresEpoch {
    /// From 1970-01-01 to 2000-01-01: 10,957 days.
    private static let offsetMicroseconds: Int64 = 946_684_800_000_000

    /// Never the bit pattern that PostgreSQL reads as `-infinity`: what underflows becomes a value that it refuses.
    static func microseconds(of timestamp: Timestamp) -> Int64 {
        let (shifted, overflow) = timestamp.microseconds.subtractingReportingOverflow(offsetMicroseconds)
        return overflow || shifted == .min ? .min + 1 : shifted
    }

    /// Saturates: the last three decades before PostgreSQL's limit in the year 294276, and its infinities, have no
    /// `Timestamp` of their own.
    static func timestamp(microseconds: Int64) -> Timestamp {
        if microseconds == .min { return Timestamp(microseconds: .min) }
        let (shifted, overflow) = microseconds.addingReportingOverflow(offsetMicroseconds)
        return Timestamp(microseconds: overflow ? .max : shifted)
    }
}
