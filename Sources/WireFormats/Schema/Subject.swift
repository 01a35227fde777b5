/// The name of the person or program that a token is issued for, compared by its UTF-8 bytes.
///
/// A Swift `String` equals every other that Unicode counts as canonically equivalent: `é` of one scalar or of two, `K`
/// and the Kelvin sign. PostgreSQL tells those apart, and so must everything that decides on somebody's identity.
package struct Subject: Sendable {
    package let text: String

    /// The longest subject, in bytes: the limit of the tables, and of identity providers (OpenID Connect Core 1.0,
    /// section 2).
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
