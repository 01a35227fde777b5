package import WireFormats

/// The claims of a token whose signature was verified, as the server uses them.
package struct SignedIn: Sendable, Hashable {
    /// The subject: the issuer's prefix, and the issuer's name for the person.
    package let subject: Subject
    /// The app that the token is for; `nil` for every app.
    package let app: String?
    /// True if the token's holder may push, besides pulling.
    package let mayWrite: Bool
    /// The spaces that the token itself grants.
    package let spaces: [ID]
    /// The time when the token was issued; long ago if the token does not state it.
    package let issued: Timestamp
    /// The time from which the token is no longer accepted, the leeway included.
    package let ends: Timestamp
}
