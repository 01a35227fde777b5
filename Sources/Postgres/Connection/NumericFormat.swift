import WireFormats

/// A decimal in the binary format of `numeric` (`numeric_send` in PostgreSQL's `numeric.c`): four 16-bit words (count
/// of digits, weight of the first, sign, decimals shown), then digits in base 10,000.
struct NumericFormat {
    private let text: String
    private let isNegative: Bool
    /// The number of decimal digits before the decimal point.
    private let wholeCount: Int
    private let fractionCount: Int

    private static let digitsPerGroup = 4
    private static let headerByteCount = 8
    private static let positive: UInt16 = 0x0000
    private static let negative: UInt16 = 0x4000

    init(_ decimal: DecimalText) {
        text = decimal.text
        let bytes = text.utf8Span.span
        isNegative = bytes[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        var point = start
        while point < bytes.count, bytes[point] != UInt8(ascii: ".") { point += 1 }
        wholeCount = point - start
        fractionCount = max(bytes.count - point - 1, 0)
    }

    /// The number of groups of four decimal digits (digits in base 10,000) before the point. The digits on each side of
    /// the point are padded to whole groups, so that the point falls between two groups.
    private var wholeGroups: Int { (wholeCount + Self.digitsPerGroup - 1) / Self.digitsPerGroup }
    private var fractionGroups: Int { (fractionCount + Self.digitsPerGroup - 1) / Self.digitsPerGroup }

    var byteCount: Int { Self.headerByteCount + 2 * (wholeGroups + fractionGroups) }

    /// Writes the encoded number to the first `byteCount` bytes of `buffer`. The counts in its header fit into 16 bits,
    /// because `DecimalText.digitsMax` limits the number of digits.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        func store(_ word: UInt16, at offset: Int) {
            buffer.storeBytes(of: word.bigEndian, toByteOffset: offset, as: UInt16.self)
        }
        store(UInt16(wholeGroups + fractionGroups), at: 0)
        store(UInt16(bitPattern: Int16(wholeGroups - 1)), at: 2)
        store(isNegative ? Self.negative : Self.positive, at: 4)
        store(UInt16(fractionCount), at: 6)
        let digits = text.utf8Span.span
        let start = isNegative ? 1 : 0
        let point = start + wholeCount
        // The first group has the digits of the whole part that fill no group, and the last is filled up with zeros.
        var next = point - wholeGroups * Self.digitsPerGroup
        for group in 0..<wholeGroups + fractionGroups {
            if group == wholeGroups { next = point + 1 }
            var number: UInt16 = 0
            for offset in next..<next + Self.digitsPerGroup {
                let isDigit = offset >= start && offset < digits.count
                number = number * 10 + (isDigit ? UInt16(digits[offset] - UInt8(ascii: "0")) : 0)
            }
            next += Self.digitsPerGroup
            store(number, at: Self.headerByteCount + 2 * group)
        }
    }
}
