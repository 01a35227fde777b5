/// When an edit was made: a hybrid logical clock reading (Kulkarni et al. 2014) in 53 bits, so that a JavaScript number
/// holds it. 42 bits of milliseconds since 1970 (until the year 2109), then 11 of counter.
public struct Stamp: Hashable, Sendable, Comparable {
    public let rawValue: Int64

    /// No edit was ever made: what a never-written attribute has. Earlier than every stamp.
    public static let never = Stamp(unchecked: 0)

    /// The latest that there can be.
    public static let last = Stamp(unchecked: 1 << 53 - 1)

    /// `nil` outside 1 … 2^53 − 1.
    public init?(rawValue: Int64) {
        guard (1..<1 << 53).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// A stamp as a table holds it. What cannot be one counts as never made: SQL may have written anything, and a
    /// stamp beyond the last would stand for ever, and take the clocks of all devices with it.
    package init(stored rawValue: Int64) {
        self = Stamp(rawValue: rawValue) ?? .never
    }

    /// A stamp that is known to be one.
    public init(unchecked rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// - Parameters:
    ///   - milliseconds: since 1970; held within what 42 bits can say.
    ///   - counter: 0 … 2047.
    public init(milliseconds: Int64, counter: Int64 = 0) {
        rawValue = max(1, min(max(milliseconds, 0), (1 << 42) - 1) << 11 | counter & 0x7FF)
    }

    /// The least stamp that is later, but for the last, which none follows.
    package var next: Stamp { min(.last, Stamp(unchecked: rawValue + 1)) }

    /// Since 1970.
    public var milliseconds: Int64 { rawValue >> 11 }

    /// The wall time in the stamp.
    public var timestamp: Timestamp { Timestamp(microseconds: milliseconds * 1000) }

    public static func < (a: Stamp, b: Stamp) -> Bool {
        a.rawValue < b.rawValue
    }
}
