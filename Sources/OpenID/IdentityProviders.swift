package import WireFormats

/// The identity providers whose tokens let in.
package struct IdentityProviders: Sendable {
    package let issuers: [IssuerKeys]

    package init(_ issuers: [IssuerKeys]) { self.issuers = issuers }

    package init(_ file: IdentityFile) {
        self.init(file.issuers.map { IssuerKeys($0) })
    }

    /// What a token says, and by which key, before anybody has looked at its signature.
    package struct Claimed: Sendable {
        fileprivate let text: String
        fileprivate let algorithm: SigningAlgorithm
        fileprivate let key: PublicKey
        fileprivate let claims: SignedIn

        /// What the token says. Some ten or a hundred microseconds of a processor.
        ///
        /// - Throws: where the signature is not right.
        package func verified() throws(TokenFault) -> SignedIn {
            guard key.verifies(text, by: algorithm) else { throw .signature }
            return claims
        }
    }

    /// True where a token may itself name the spaces that it lets into.
    package var nameSpaces: Bool { issuers.contains { $0.issuer.spacesClaim != nil } }

    /// The most bytes of a token.
    package static let tokenSizeMaxBytes = SignedToken.sizeMaxBytes

    /// Whether a bearer token may be one of a provider's.
    package static func mayBe(_ token: String) -> Bool { SignedToken.hasForm(token) }

    /// Reads a token, and finds the key that it would have to be signed with.
    ///
    /// - Parameter now: by the clock that tokens end by.
    /// - Throws: `TokenFault`, where it lets nobody in whoever signed it; `KeysUnavailable`, where nobody can say.
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
