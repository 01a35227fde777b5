/// Hexadecimal digits: written in lower case, read in any.
enum Hex {
    /// The digit that `nibble`, less than 16, is written as.
    static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &- 10 &+ nibble
    }

    /// What `byte` counts as a digit; `nil` when it is none.
    static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }

    /// The number that the digits in `range` write, at most sixteen; `nil` when one is no digit.
    static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for i in range {
            guard let digit = value(text[i]) else { return nil }
            number = number &<< 4 | UInt64(digit)
        }
        return number
    }

    /// Appends the lowest `digits` digits of `number`.
    static func append(_ number: UInt64, digits: UInt64, to span: inout OutputSpan<UInt8>) {
        var shift = digits &* 4
        while shift > 0 {
            shift &-= 4
            span.append(digit(UInt8(truncatingIfNeeded: number &>> shift) & 15))
        }
    }
}
