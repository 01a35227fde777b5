import WireFormats

/// The binary format of `numeric` (`numeric_send` in PostgreSQL's `numeric.c`): four 16-bit words (count of digits,
/// weight of the first, sign, decimals shown), then digits in base 10,000.
enum NumericFormat {
    private static let digitsPerGroup = 4
    private static let positive: UInt16 = 0x0000
    private static let negative: UInt16 = 0x4000

    /// Appends `decimal`. `DecimalText.digitsMax` keeps every count far inside 16 bits.
    static func append(_ decimal: DecimalText, to bytes: inout [UInt8]) {
        var text = Array(decimal.text.utf8)[...]
        let isNegative = text.first == UInt8(ascii: "-")
        if isNegative { text.removeFirst() }
        let whole = text.prefix { $0 != UInt8(ascii: ".") }
        let fraction = text.dropFirst(whole.count + 1)

        // Pad both sides to whole groups, so that the point falls between two of them.
        let wholeGroups = (whole.count + digitsPerGroup - 1) / digitsPerGroup
        var digits = [UInt8](repeating: UInt8(ascii: "0"), count: wholeGroups * digitsPerGroup - whole.count)
        digits += whole
        digits += fraction
        digits += [UInt8](repeating: UInt8(ascii: "0"), count: (digitsPerGroup - digits.count % digitsPerGroup) % 4)

        bytes.append(bigEndian: UInt16(digits.count / digitsPerGroup))
        bytes.append(bigEndian: Int16(wholeGroups - 1))
        bytes.append(bigEndian: isNegative ? negative : positive)
        bytes.append(bigEndian: UInt16(fraction.count))
        for start in stride(from: 0, to: digits.count, by: digitsPerGroup) {
            let group = digits[start..<start + digitsPerGroup].reduce(0) { $0 * 10 + UInt16($1 - UInt8(ascii: "0")) }
            bytes.append(bigEndian: group)
        }
    }
}
