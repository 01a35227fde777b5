import StrictJSON

/// An exact decimal number of up to a thousand digits, stored as its normalized text `-?digits(.digits)?`: no exponent,
/// no needless zeros before or after the digits, and never `-0`.
///
/// It is stored as text, because no decimal type of a fixed width can represent every value of PostgreSQL's `numeric`.
public struct DecimalText: Hashable, Sendable {
    /// The normalized text: no exponent, no leading zeros, no zeros at the end of the fraction.
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
    /// PostgreSQL's `numeric` allows 131,072 before and 16,383 after the point. A thousand is far more than any price
    /// needs, and keeps a single value from filling a page of a pull.
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
