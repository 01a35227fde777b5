/// The name of the person or program that a token is issued for, compared by its UTF-8 bytes.
///
/// Swift's `String` treats texts as equal if Unicode counts them as canonically equivalent: `é` as one scalar or as
/// two, `K` and the Kelvin sign. PostgreSQL treats them as different, so every decision about a person's identity must
/// too.
package struct Subject: Sendable {
    package let text: String

    /// The greatest length of a subject, in bytes. The tables and identity providers have the same limit (OpenID
    /// Connect Core 1.0, section 2).
    package static let sizeMaxBytes = 255

    package init(_ text: String) { self.text = text }
}

extension Subject: Hashable, Comparable {
    package static func == (one: Subject, other: Subject) -> Bool { one.text.isIdentical(to: other.text) }

    package static func < (one: Subject, other: Subject) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8.max)
    }
}

extension Subject: ExpressibleByStringInterpolation, CustomStringConvertible {
    package init(stringLiteral text: String) { self.init(text) }

    package var description: String { text }
}
