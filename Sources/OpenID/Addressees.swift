import WireFormats

/// The parties that a token is for, and the one that it was made out to.
struct Addressees {
    /// ‘aud’: one text, or several (RFC 7519, section 4.1.3).
    private let audiences: [ExactText]
    /// ‘azp’ (OpenID Connect Core 1.0, section 2).
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

    /// True where it is for one of the issuer's audiences, and maybe for others.
    func include(oneOf issuer: Issuer) -> Bool { audiences.contains(where: issuer.audiences.contains) }

    /// True where whoever it was made out to may bring it here (OpenID Connect Core 1.0, section 3.1.3.7, items 4 and
    /// 5).
    ///
    /// Where it says to whom, that must be one of ours. Where it does not, nobody else may be among those it is for:
    /// they have it, too, and could bring it.
    func areMet(by issuer: Issuer) -> Bool {
        guard let party else { return audiences.allSatisfy(issuer.audiences.contains) }
        return issuer.audiences.contains(party) || issuer.authorizedParties.contains(party)
    }
}
