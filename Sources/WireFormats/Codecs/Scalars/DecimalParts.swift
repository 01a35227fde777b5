/// The parts of a decimal number in a text: its digits, without zeros that do not change its value, and the position of
/// the point.
struct DecimalParts {
    private var isNegative = false
    /// The digits from the first to the last that is not zero; empty for zero.
    private var digits: [UInt8] = []
    /// The number of digits before the point; negative if there are zeros between the point and the first digit.
    private var point = 0

    /// The limit to which exponents are clamped, so that sums with them cannot overflow. A number with a greater
    /// exponent is zero, or it has too many digits anyway.
    private static let exponentMax = 1 << 40

    /// Reads `[+-]?d+(.d+)?([eE][+-]?d+)?`; `nil` for anything else.
    init?(_ text: Span<UInt8>) {
        var offset = 0
        isNegative = DecimalParts.readSign(text, &offset)
        var written: [UInt8] = []
        guard DecimalParts.readDigits(text, &offset, into: &written) else { return nil }
        point = written.count
        if offset < text.count, text[offset] == UInt8(ascii: ".") {
            offset += 1
            guard DecimalParts.readDigits(text, &offset, into: &written) else { return nil }
        }
        if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            guard let exponent = DecimalParts.readExponent(text, &offset) else { return nil }
            point += exponent
        }
        guard offset == text.count else { return nil }
        keepSignificant(written)
    }

    private mutating func keepSignificant(_ written: [UInt8]) {
        let zero = UInt8(ascii: "0")
        guard let first = written.firstIndex(where: { $0 != zero }), let last = written.lastIndex(where: { $0 != zero })
        else { return }
        digits = Array(written[first...last])
        point -= first
    }

    /// The normalized text `-?digits(.digits)?`; `nil` if it takes more than `DecimalText.digitsMax` digits.
    func normalizedText() -> String? {
        guard !digits.isEmpty else { return "0" }
        // The whole part has a digit at least, the fraction all the digits after the point.
        guard max(point, 1) + max(digits.count - point, 0) <= DecimalText.digitsMax else { return nil }
        let zero = UInt8(ascii: "0")
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        if point <= 0 {
            text.append(zero)
        } else {
            text += digits.prefix(point)
            text += repeatElement(zero, count: max(point - digits.count, 0))
        }
        if point < digits.count {
            text.append(UInt8(ascii: "."))
            text += repeatElement(zero, count: max(-point, 0))
            text += digits.dropFirst(max(point, 0))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads an optional sign. Returns true if there was a minus. A plus is accepted as well.
    private static func readSign(_ text: Span<UInt8>, _ offset: inout Int) -> Bool {
        guard offset < text.count, text[offset] == UInt8(ascii: "-") || text[offset] == UInt8(ascii: "+") else {
            return false
        }
        offset += 1
        return text[offset - 1] == UInt8(ascii: "-")
    }

    /// Reads digits. Returns true if there was at least one.
    private static func readDigits(_ text: Span<UInt8>, _ offset: inout Int, into digits: inout [UInt8]) -> Bool {
        let start = offset
        while offset < text.count, isDigit(text[offset]) {
            digits.append(text[offset])
            offset += 1
        }
        return offset > start
    }

    private static func readExponent(_ text: Span<UInt8>, _ offset: inout Int) -> Int? {
        let isNegative = readSign(text, &offset)
        let start = offset
        var exponent = 0
        while offset < text.count, isDigit(text[offset]) {
            exponent = min(exponent * 10 + Int(text[offset] - UInt8(ascii: "0")), exponentMax)
            offset += 1
        }
        guard offset > start else { return nil }
        return isNegative ? -exponent : exponent
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
