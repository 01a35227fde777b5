import StrictJSON

/// The audiences that a token names, and the authorized party that it was issued to.
struct Addressees {
    /// The values of the ‘aud’ claim, which is one text or an array of texts (RFC 7519, section 4.1.3).
    private let audiences: [ExactText]
    /// The authorized party, from the ‘azp’ claim (OpenID Connect Core 1.0, section 2); `nil` if the token names none.
    let party: ExactText?

    init(_ claims: JSONNode) throws(TokenFault) {
        guard let node = claims["aud"], let texts = node.string.map({ [$0] }) ?? node.strings else {
            throw .claim("aud")
        }
        audiences = texts.map { ExactText($0) }
        if let node = claims["azp"] {
            guard let text = node.string else { throw .claim("azp") }
            party = ExactText(text)
        } else {
            party = nil
        }
    }

    /// True if the token names at least one of the issuer's audiences; it may name others, too.
    func include(oneOf issuer: Issuer) -> Bool { audiences.contains(where: issuer.audiences.contains) }

    /// True if the party that the token was issued to may use it with this server (OpenID Connect Core 1.0, section
    /// 3.1.3.7, items 4 and 5).
    ///
    /// If the token names an authorized party, that party must be one of the issuer's audiences or authorized parties.
    /// If it names none, all of its audiences must be audiences of the issuer: any other audience may also have
    /// received the token, and could use it here.
    func areMet(by issuer: Issuer) -> Bool {
        guard let party else { return audiences.allSatisfy(issuer.audiences.contains) }
        return issuer.audiences.contains(party) || issuer.authorizedParties.contains(party)
    }
}
