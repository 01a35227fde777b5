package import WireFormats

/// The subject that asks for a space, an invitation or the end of its account, and the token by which it does.
package struct Actor: Sendable {
    package let subject: Subject
    /// The SHA-256 of the token.
    package let token: [UInt8]
    /// When an identity provider issued the token; `nil` for one of our own.
    package let issued: Timestamp?

    package init(_ subject: Subject, token: [UInt8], issued: Timestamp? = nil) {
        self.subject = subject
        self.token = token
        self.issued = issued
    }
}
