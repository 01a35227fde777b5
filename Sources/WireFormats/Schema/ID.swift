/// A 128-bit UUID (RFC 9562): the identity of a record, a space or a device, and the value of a `.uuid` attribute.
///
/// Printed in lower case with hyphens; read in any case. Ordered by its bytes, as in PostgreSQL.
public struct ID: Hashable, Sendable, Comparable {
    /// The first eight bytes, big-endian.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

    /// Makes an id of its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static func < (a: ID, b: ID) -> Bool {
        (a.high, a.low) < (b.high, b.low)
    }

    /// A version 4 (random) UUID, RFC 9562 section 5.4.
    public static func random(using generator: inout some RandomNumberGenerator) -> ID {
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x0000_0000_0000_4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return ID(high: high, low: low)
    }

    /// Returns a random UUID, version 4, of the system's generator.
    public static func random() -> ID {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }
}
