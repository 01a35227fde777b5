/// The time of an edit: a reading of a hybrid logical clock (Kulkarni et al. 2014). It has 53 bits, so that a
/// JavaScript number represents it exactly: 42 bits of milliseconds since 1970 (until the year 2109), then an 11-bit
/// counter.
public struct Stamp: Hashable, Sendable, Comparable {
    @usableFromInline package let rawValue: Int64

    /// The stamp of an attribute that was never written. It is earlier than every other stamp.
    package static let never = Stamp(unchecked: 0)

    /// The latest possible stamp.
    package static let last = Stamp(unchecked: 1 << 53 - 1)

    /// Makes a stamp of its raw value. `nil` outside 1 … 2^53 − 1.
    @inlinable
    package init?(rawValue: Int64) {
        guard (1..<1 << 53).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// Makes a stamp of a number that is stored in a table. A number outside the range of stamps is read as `.never`,
    /// because SQL may have written anything: a stamp beyond the last would win over every later edit, and would set
    /// the clocks of all devices forward.
    package init(stored rawValue: Int64) {
        self = Stamp(rawValue: rawValue) ?? .never
    }

    /// Makes a stamp of a raw value that is known to be in the range of stamps.
    @inlinable
    package init(unchecked rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Makes a stamp from a time and a counter.
    ///
    /// - Parameters:
    ///   - milliseconds: the time since 1970, clamped to the range of 42 bits.
    ///   - counter: 0 … 2047.
    public init(milliseconds: Int64, counter: Int64 = 0) {
        rawValue = max(1, min(max(milliseconds, 0), (1 << 42) - 1) << 11 | counter & 0x7FF)
    }

    /// The stamp that directly follows this one. The last possible stamp returns itself.
    package var next: Stamp { min(.last, Stamp(unchecked: rawValue + 1)) }

    /// The milliseconds since 1970.
    public var milliseconds: Int64 { rawValue >> 11 }

    /// The wall time in the stamp.
    public var timestamp: Timestamp { Timestamp(microseconds: milliseconds * 1000) }

    public static func < (a: Stamp, b: Stamp) -> Bool {
        a.rawValue < b.rawValue
    }
}
