/// The reason why a signed token is refused.
package enum TokenFault: Error, Hashable, Sendable {
    /// A text that is not the three parts of a compact JWS (RFC 7515, section 3.1), or is too large.
    case form
    /// A header or claims that are not a strict JSON object, or that have a member of the wrong type. The value names
    /// the part.
    case content(String)
    /// A header member that a token must not have, or a ‘typ’ that is not accepted. The value is the member's name.
    case header(String)
    /// An algorithm that the token's issuer may not use.
    case algorithm
    /// An issuer (‘iss’) that the server's identity file does not list.
    case issuer
    /// An audience that is not one of the issuer's accepted audiences: the token is for another app.
    case audience
    /// An authorized party that is not accepted: the token was issued to another party.
    case party
    case expired
    case notYetValid
    /// A key that cannot be found: the issuer publishes none with the token's key id (‘kid’) for the token's algorithm.
    case key
    /// A signature that is not valid for the key and the token's bytes.
    case signature
    /// A required claim, named by the value, that is missing or cannot be used.
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
