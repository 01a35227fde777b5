import StrictJSON
package import WireFormats

/// The identity providers whose tokens are accepted.
package struct IdentityProviders: Sendable {
    package let issuers: [IssuerKeys]

    package init(_ issuers: [IssuerKeys]) { self.issuers = issuers }

    package init(_ file: IdentityFile) {
        self.init(file.issuers.map { IssuerKeys($0) })
    }

    /// A token that was parsed and is not yet verified: its claims, and the key to check its signature with.
    package struct Claimed: Sendable {
        fileprivate let text: String
        fileprivate let algorithm: SigningAlgorithm
        fileprivate let key: PublicKey
        fileprivate let claims: SignedIn

        /// Verifies the signature and returns the claims. Takes ten to a hundred microseconds of a processor.
        ///
        /// - Throws: `TokenFault` if the signature is not valid.
        package func verified() throws(TokenFault) -> SignedIn {
            guard key.verifies(text, by: algorithm) else { throw .signature }
            return claims
        }
    }

    /// True if at least one provider's tokens may themselves name the spaces that they give access to.
    package var nameSpaces: Bool { issuers.contains { $0.issuer.spacesClaim != nil } }

    /// The largest size of a token, in bytes.
    package static let tokenSizeMaxBytes = SignedToken.sizeMaxBytes

    /// True if a bearer token has the form of a provider's token. The token itself is not checked.
    package static func mayBe(_ token: String) -> Bool { SignedToken.hasForm(token) }

    /// Parses a token, and finds the key to check its signature with. The signature is not checked yet.
    ///
    /// - Parameter now: the current time, by the clock that decides when tokens expire.
    /// - Throws: `TokenFault` if the token gives no access even with a valid signature; `KeysUnavailable` if the keys
    ///   are needed and cannot be fetched now.
    package func claimed(_ text: String, at now: Timestamp) async throws -> Claimed {
        let (keys, algorithm, keyID, claims) = try read(text, at: now)
        guard let key = try await keys.key(id: keyID, for: algorithm) else { throw TokenFault.key }
        return Claimed(text: text, algorithm: algorithm, key: key, claims: claims)
    }

    private func read(
        _ text: String, at now: Timestamp
    ) throws(TokenFault) -> (IssuerKeys, SigningAlgorithm, ExactText?, SignedIn) {
        let token = try SignedToken(text)
        guard let name = token.claims["iss"]?.string.map({ ExactText($0) }) else { throw .claim("iss") }
        let ofName = issuers.filter { $0.issuer.name == name }
        guard !ofName.isEmpty else { throw .issuer }
        let addressees = try Addressees(token.claims)
        let forUs = ofName.filter { addressees.include(oneOf: $0.issuer) }
        guard !forUs.isEmpty else { throw .audience }
        guard let keys = forUs.first(where: { addressees.areMet(by: $0.issuer) }) else {
            throw addressees.party == nil ? .claim("azp") : .party
        }
        guard keys.issuer.algorithms.contains(token.algorithm) else { throw .algorithm }
        return (keys, token.algorithm, token.keyID, try keys.issuer.reading(token.claims, at: now))
    }
}
