package import WireFormats

/// The claims of a token whose signature was verified, converted to the server's own types.
package struct SignedIn: Sendable, Hashable {
    /// The subject: the issuer's prefix followed by the issuer's name for the person.
    package let subject: Subject
    /// The app that the token is for; `nil` for every app.
    package let app: String?
    /// True if the token allows pushing; every token allows pulling.
    package let mayWrite: Bool
    /// The spaces to which the token itself gives access, in addition to the subject's memberships.
    package let spaces: [ID]
    /// The time when the token was issued; the year 1970 if the token does not contain it.
    package let issued: Timestamp
    /// The time from which the token is no longer accepted, the leeway included.
    package let ends: Timestamp
}
