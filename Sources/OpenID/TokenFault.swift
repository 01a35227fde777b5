/// Why a signed token lets nobody in.
package enum TokenFault: Error, Hashable, Sendable {
    /// Not the three parts of a compact JWS (RFC 7515, section 3.1), or larger than one may be.
    case form
    /// The header or the claims are no strict JSON object, or a member is of the wrong type.
    case content(String)
    /// A header that would have a key or a rule chosen by whoever made the token.
    case header(String)
    /// An algorithm that is not among those that the issuer may use.
    case algorithm
    /// No issuer that is configured.
    case issuer
    /// It is for somebody else.
    case audience
    /// It was made out to somebody else.
    case party
    case expired
    case notYetValid
    /// The issuer publishes no such key for such an algorithm.
    case key
    /// Somebody else signed it, or other bytes.
    case signature
    /// A claim that is needed is missing or is nothing to go by.
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
