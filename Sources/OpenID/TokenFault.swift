/// The reason why a signed token is refused.
package enum TokenFault: Error, Hashable, Sendable {
    /// The token is not the three parts of a compact JWS (RFC 7515, section 3.1), or is too large.
    case form
    /// The header or the claims are not a strict JSON object, or a member is of the wrong type.
    case content(String)
    /// The header has a member that would let the maker of the token choose the key or a rule of verification.
    case header(String)
    /// The token's algorithm is not one that the issuer may use.
    case algorithm
    /// The token's issuer is not configured.
    case issuer
    /// The token is for another audience.
    case audience
    /// The token was issued to another party.
    case party
    case expired
    case notYetValid
    /// The issuer publishes no key with this id for this algorithm.
    case key
    /// The signature is not valid for the key and the token's bytes.
    case signature
    /// A required claim is missing, or its value cannot be used.
    case claim(String)
}

extension TokenFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .form: "It is no signed JSON Web Token of at most \(SignedToken.sizeMaxBytes) bytes."
        case .content(let part): "Its \(part) is not what RFC 7519 says, or can be read in two ways."
        case .header(let name): "Its header has ‘\(name)’, which no token may have here."
        case .algorithm: "It is signed by an algorithm that is not allowed for its issuer."
        case .issuer: "Its ‘iss’ is none of the issuers."
        case .audience: "Its ‘aud’ is none of the issuer's audiences: it is for somebody else."
        case .party:
            "Its ‘azp’ is none of the issuer's audiences, nor of its ‘authorizedParties’: it was made out to somebody "
                + "else."
        case .expired: "It has expired."
        case .notYetValid: "It is not valid yet."
        case .key: "Its issuer publishes no key of its ‘kid’ for its algorithm."
        case .signature: "Its signature is not of its issuer's key, or is of something else."
        case .claim(let name): "Its claim ‘\(name)’ is missing, or is nothing to go by."
        }
    }
}
