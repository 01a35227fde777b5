package import WireFormats

/// What a token says whose signature was found to be its issuer's.
package struct SignedIn: Sendable, Hashable {
    /// The issuer's prefix, and what the issuer calls the subject.
    package let subject: Subject
    /// `nil`: every app.
    package let app: String?
    /// Whether its holder may push, besides pulling.
    package let mayWrite: Bool
    /// Spaces that the token itself grants.
    package let spaces: [ID]
    /// When it was issued; long ago where it does not say.
    package let issued: Timestamp
    /// When it lets nobody in any more, the leeway included.
    package let ends: Timestamp
}
