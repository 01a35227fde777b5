/// Hexadecimal digits: written in lower case, read in either case.
package enum Hex {
    /// The ASCII code of the lower-case hexadecimal digit with the value `nibble`, which must be less than 16.
    static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &- 10 &+ nibble
    }

    /// The value, from 0 to 15, of the hexadecimal digit with the ASCII code `byte`; `nil` if it is no such digit.
    @inlinable
    package static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }

    /// The 32-bit number that is written as eight hexadecimal digits; `nil` if a character is not a hexadecimal digit.
    ///
    /// All eight digits are read in one step, so that ids are parsed fast.
    ///
    /// - Parameter text: the digits in ASCII, the first digit in the lowest byte.
    @inlinable
    package static func number(eight text: UInt64) -> UInt64? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // A byte that is 1 for a letter, and the letter in lower case.
        let letter = text >> 6 & ones
        let lower = text | letter << 5
        let low = lower & (ones * 0x0F)
        // The high half is 3 of a digit and 6 of a letter; the low half is at most 9, or 1 to 6.
        let highFault = (lower ^ (ones * 0x30 + letter * 0x30)) & (ones * 0xF0)
        let tooGreat = (low + ones * 6 + letter * 3) & (ones * 0x10)
        let tooSmall = (low + letter * 0x0F ^ letter << 4) & (ones * 0x10)
        guard highFault | tooGreat | tooSmall == 0 else { return nil }
        // Each step joins neighbours: digits to bytes, bytes to words, words to the number.
        var number = (low + letter * 9).byteSwapped
        number = (number | number >> 4) & 0x00FF_00FF_00FF_00FF
        number = (number | number >> 8) & 0x0000_FFFF_0000_FFFF
        return (number | number >> 16) & 0xFFFF_FFFF
    }

    /// The eight hexadecimal digits of `number` as ASCII codes, with the first digit in the lowest byte.
    @inlinable
    package static func digits(_ number: UInt32) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var digits = UInt64(number)
        // Each step parts neighbours: the number to words, words to bytes, bytes to halves.
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & (ones * 0x0F)
        // A byte that is 1 for a letter; from behind `9`, letters begin 39 further on.
        let letter = (digits + ones * 6) >> 4 & ones
        return (digits + ones * 0x30 + letter * 39).byteSwapped
    }
}
