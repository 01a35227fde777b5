import StrictJSON

/// The keys that an issuer publishes: a JSON Web Key Set (RFC 7517, section 5).
package struct KeySet: Sendable {
    /// The usable keys. Keys of other types, for other uses, or with invalid numbers are left out.
    package let keys: [PublicKey]

    /// The maximum number of keys that are read. Providers publish two to ten.
    static let countMax = 100

    /// Parses a key set.
    ///
    /// - Throws: `KeysUnavailable` if the bytes are not a key set, or the set has no usable key.
    package init(_ bytes: [UInt8]) throws(KeysUnavailable) {
        guard let document = try? JSONDocument(parsing: bytes, limits: Download.jsonLimits),
            let stated = document.root["keys"]?.elements
        else { throw KeysUnavailable("what it publishes is no JSON Web Key Set") }
        let keys = stated.prefix(KeySet.countMax).compactMap { PublicKey($0) }
        guard !keys.isEmpty else { throw KeysUnavailable("it publishes no key for \(KeySet.usable)") }
        self.keys = keys
    }

    /// Returns the key that has the id `id` and that may be used with the algorithm. If the token names no id, returns
    /// the only key for the algorithm. Returns `nil` if no key fits, or more than one.
    func key(id: ExactText?, for algorithm: SigningAlgorithm) -> PublicKey? {
        let fitting = keys.filter { $0.algorithms.contains(algorithm) && (id == nil || $0.id == id) }
        return fitting.count == 1 ? fitting[0] : nil
    }

    private static let usable = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
}

/// The reason why an issuer's keys are not available now.
package struct KeysUnavailable: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// The time after which the client may retry.
    package let retryAfter: Duration

    init(_ description: String, retryAfter: Duration = .seconds(5)) {
        self.description = description
        self.retryAfter = retryAfter
    }
}
