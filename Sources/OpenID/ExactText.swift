/// A text that is itself and no other: compared and hashed by its bytes, as RFC 8725, section 3.8, and RFC 7517,
/// section 4.5, compare names. Swift's own equality takes texts for one that Unicode takes for one, such as the Kelvin
/// sign (U+212A) for ‘K’.
package struct ExactText: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { text }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        // The end, so that two texts behind each other are not hashed as others are.
        hasher.combine(0xFF as UInt8)
    }

    /// Whether the other one is the beginning of this one, or all of it.
    package func begins(with other: ExactText) -> Bool { text.utf8.starts(with: other.text.utf8) }
}

extension ExactText: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}
