/// The reason why a text is not an accepted timestamp.
public enum TimestampError: Error, Hashable, Sendable {
    /// Not `YYYY-MM-DDThh:mm:ss(.f…)?(Z|±hh:mm)`, RFC 3339 section 5.6.
    case malformed
    /// More than 30 digits after the point.
    case fractionTooLong
    /// A month, day, hour, minute, second or offset that does not exist, or a leap second other than at 23:59:60Z.
    case noSuchTime
    /// Before 0001-01-01T00:00:00Z or after 9999-12-31T23:59:59.999999Z.
    case outOfRange
}

extension TimestampError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed: "The text is not an RFC 3339 timestamp."
        case .fractionTooLong: "The timestamp has more than \(Timestamp.fractionDigitsMax) digits after the point."
        case .noSuchTime: "The timestamp names a day or a time that does not exist."
        case .outOfRange: "The timestamp is outside the years 1 to 9999."
        }
    }
}
