import WireFormats

/// The keys that an issuer publishes: a JSON Web Key Set (RFC 7517, section 5).
package struct KeySet: Sendable {
    /// Those that can be used here: keys of other types, for other uses, or that are not sound are left out.
    package let keys: [PublicKey]

    /// Providers have two to ten.
    static let countMax = 100

    /// - Throws: `KeysUnavailable`, where this is no such set, or has no key that can be used.
    package init(_ bytes: [UInt8]) throws(KeysUnavailable) {
        guard let document = try? JSONDocument(parsing: bytes, limits: Download.jsonLimits),
            let stated = document.root["keys"]?.elements
        else { throw KeysUnavailable("what it publishes is no JSON Web Key Set") }
        let keys = stated.prefix(KeySet.countMax).compactMap { PublicKey($0) }
        guard !keys.isEmpty else { throw KeysUnavailable("it publishes no key for \(KeySet.usable)") }
        self.keys = keys
    }

    /// The one that a token says it is signed with; where it says nothing, the only one there is.
    func key(id: ExactText?, for algorithm: SigningAlgorithm) -> PublicKey? {
        let fitting = keys.filter { $0.algorithms.contains(algorithm) && (id == nil || $0.id == id) }
        return fitting.count == 1 ? fitting[0] : nil
    }

    private static let usable = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
}

/// Why an issuer's keys cannot be had now.
package struct KeysUnavailable: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// When it is worth trying again.
    package let retryAfter: Duration

    init(_ description: String, retryAfter: Duration = .seconds(5)) {
        self.description = description
        self.retryAfter = retryAfter
    }
}
