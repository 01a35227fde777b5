import HTTPServer
import SyncEngine

/// The sender of a request whose token was found valid.
struct TokenBearer: Sendable {
    /// The SHA-256 of the token.
    let hash: [UInt8]
    let found: TokenMemory.Valid

    /// The rights that the token gives.
    var grant: Grant { found.grant }

    /// The token's subject. Each subject has its own share of the server's memory and connections for its requests.
    var holder: Holder { found.holder }
}

extension Actor {
    init(_ bearer: TokenBearer) {
        self.init(bearer.grant.subject, token: bearer.hash, issued: bearer.grant.issued)
    }
}
