import StrictJSON

/// The keys that an issuer publishes: a JSON Web Key Set (RFC 7517, section 5).
package struct KeySet: Sendable {
    /// The usable keys: keys of other types, for other uses, or with invalid numbers are left out.
    package let keys: [PublicKey]

    /// The most keys that are read. Providers have two to ten.
    static let countMax = 100

    /// - Throws: `KeysUnavailable`, if the bytes are no key set, or the set has no usable key.
    package init(_ bytes: [UInt8]) throws(KeysUnavailable) {
        guard let document = try? JSONDocument(parsing: bytes, limits: Download.jsonLimits),
            let stated = document.root["keys"]?.elements
        else { throw KeysUnavailable("what it publishes is no JSON Web Key Set") }
        let keys = stated.prefix(KeySet.countMax).compactMap { PublicKey($0) }
        guard !keys.isEmpty else { throw KeysUnavailable("it publishes no key for \(KeySet.usable)") }
        self.keys = keys
    }

    /// The key that a token names; for a token that names none, the only key for the algorithm.
    func key(id: ExactText?, for algorithm: SigningAlgorithm) -> PublicKey? {
        let fitting = keys.filter { $0.algorithms.contains(algorithm) && (id == nil || $0.id == id) }
        return fitting.count == 1 ? fitting[0] : nil
    }

    private static let usable = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
}

/// The reason why an issuer's keys are not available now.
package struct KeysUnavailable: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// The time after which a retry is worth it.
    package let retryAfter: Duration

    init(_ description: String, retryAfter: Duration = .seconds(5)) {
        self.description = description
        self.retryAfter = retryAfter
    }
}
