import StrictJSON

/// An exact decimal number of any length, kept as its normalized text: `-?digits(.digits)?` with no leading or trailing
/// zeros to drop, no exponent, and never `-0`.
///
/// Text, because no fixed-width decimal type holds everything that PostgreSQL's `numeric` does.
public struct DecimalText: Hashable, Sendable {
    /// The canonical text: no exponent, no leading zeros, no zeros at the end of a fraction.
    public let text: String

    /// Reads a decimal number from `text`: an optional sign, digits, an optional fraction and an optional exponent.
    ///
    /// `nil` if `text` is not a number, or if the number has more than `digitsMax` digits when written out.
    public init?(_ text: some StringProtocol) {
        guard let decimal = String(text).withUTF8Span({ DecimalText(utf8: $0) }) else { return nil }
        self = decimal
    }

    /// The most digits that a decimal may have when written without an exponent.
    ///
    /// PostgreSQL's `numeric` holds 131,072 before and 16,383 after the point; a thousand is far beyond any price and
    /// keeps one value from filling a page.
    public static let digitsMax = 1000
}

extension DecimalText: CustomStringConvertible {
    public var description: String { text }
}

extension DecimalText {
    /// The number 0.
    public static let zero = DecimalText(unchecked: "0")

    private init(unchecked text: String) {
        self.text = text
    }
}
