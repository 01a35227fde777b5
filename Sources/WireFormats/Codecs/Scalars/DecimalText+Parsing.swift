import StrictJSON

extension DecimalText {
    /// Reads a decimal number from UTF-8 bytes: an optional sign, digits, optionally a point and digits, and optionally
    /// an exponent of digits with or without a sign.
    ///
    /// `nil` if it is not a number, or if the number takes more than `digitsMax` digits without its exponent. Zeros
    /// that do not matter (leading zeros, and trailing zeros after the point) do not count. O(n), whatever the exponent
    /// is.
    package init?(utf8 text: Span<UInt8>) {
        if DecimalText.isNormalized(text) {
            self.text = String(copyingUTF8: text, isKnownASCII: true)
            return
        }
        guard let parts = DecimalParts(text), let normalized = parts.normalizedText() else { return nil }
        self.text = normalized
    }

    /// Returns true if `text` is already in the form that `normalizedText` writes, as most decimals from devices are.
    static func isNormalized(_ text: Span<UInt8>) -> Bool {
        let (zero, point) = (UInt8(ascii: "0"), UInt8(ascii: "."))
        let start = text.count > 0 && text[0] == UInt8(ascii: "-") ? 1 : 0
        var digits = 0
        var pointAt: Int?
        for index in start..<text.count {
            if text[index] &- zero < 10 {
                digits += 1
            } else if text[index] == point, pointAt == nil {
                pointAt = index
            } else {
                return false
            }
        }
        let whole = (pointAt ?? text.count) - start
        guard whole > 0, digits <= digitsMax, whole == 1 || text[start] != zero else { return false }
        if pointAt != nil { return digits > whole && text[text.count - 1] != zero }
        return start == 0 || text[start] != zero
    }

    /// Makes the decimal with the fewest digits that reads back as `value`; `nil` if `value` is not finite.
    ///
    /// The server converts every `Double` to a decimal in this way. So 0.1 becomes exactly 0.1, and the noise of binary
    /// rounding never becomes digits.
    public init?(shortest value: Double) {
        guard value.isFinite else { return nil }
        guard let decimal = value.description.withUTF8Span({ DecimalText(utf8: $0) }) else { return nil }
        self = decimal
    }
}

extension Double {
    /// Makes the nearest `Double`, ties to even; `nil` if it is infinite.
    public init?(_ decimal: DecimalText) {
        guard let value = Double(decimal.text), value.isFinite else { return nil }
        self = value + 0.0
    }
}
