/// The sender of a request whose token was found valid.
struct TokenBearer: Sendable {
    /// The SHA-256 of the token.
    let hash: [UInt8]
    let found: TokenMemory.Valid

    /// What the token allows.
    var grant: Grant { found.grant }
}
