/// A text that is compared and hashed by its bytes, as RFC 8725, section 3.8, and RFC 7517, section 4.5, compare names.
/// Swift's `String` compares by Unicode equivalence instead: the Kelvin sign (U+212A) equals ‘K’.
package struct ExactText: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { text }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        // A terminator, so that two texts in a row have no other pair's hash.
        hasher.combine(0xFF as UInt8)
    }

    /// True if the other text is a prefix of this one, or equal to it.
    package func begins(with other: ExactText) -> Bool { text.utf8.starts(with: other.text.utf8) }
}

extension ExactText: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}
