package import WireFormats

/// The subject that requests a space, accepts an invitation or erases its account, with the token of its request.
package struct Actor: Sendable {
    package let subject: Subject
    /// The SHA-256 of the token.
    package let token: [UInt8]
    /// The time at which an identity provider issued the token; `nil` for a token that this server itself issued.
    package let issued: Timestamp?

    package init(_ subject: Subject, token: [UInt8], issued: Timestamp? = nil) {
        self.subject = subject
        self.token = token
        self.issued = issued
    }
}
