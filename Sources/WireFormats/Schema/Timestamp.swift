/// A point in time in whole microseconds since 1970-01-01T00:00:00Z: the finest resolution that PostgreSQL's
/// `timestamptz` holds.
///
/// It is the value of a `.date` attribute. A client may send a finer time; it is rounded to the nearest microsecond
/// when it is read. The protocol declares this rounding.
public struct Timestamp: Hashable, Sendable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z, negative before.
    public let microseconds: Int64

    /// Makes a time.
    ///
    /// - Parameter microseconds: microseconds since 1970 in UTC.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public static func < (a: Timestamp, b: Timestamp) -> Bool {
        a.microseconds < b.microseconds
    }
}
