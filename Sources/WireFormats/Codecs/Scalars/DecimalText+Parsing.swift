extension DecimalText {
    /// The number that the UTF-8 bytes write: an optional sign, digits, optionally a point and digits, and optionally
    /// an exponent of digits with or without a sign.
    ///
    /// `nil` when it is not a number, or when it takes more than `digitsMax` digits without its exponent. Zeros that
    /// say nothing (leading ones, and trailing ones after the point) do not count. O(n), whatever the exponent is.
    public init?(utf8 text: Span<UInt8>) {
        guard let parts = DecimalParts(text), let normalized = parts.normalizedText() else { return nil }
        self.text = normalized
    }

    /// The decimal with the fewest digits that reads back as `value`; `nil` when `value` is not finite.
    ///
    /// The one conversion between the two: binary digits never show up as decimal ones.
    public init?(shortest value: Double) {
        guard value.isFinite else { return nil }
        self.init(utf8: value.description.utf8Span.span)
    }
}

extension Double {
    /// The nearest `Double`, ties to even; `nil` when that is infinite.
    public init?(_ decimal: DecimalText) {
        guard let value = Double(decimal.text), value.isFinite else { return nil }
        self = value + 0.0
    }
}
