import StrictJSON
import Synchronization
import WireFormats

/// A public key that an issuer publishes as a JSON Web Key (RFC 7517). It verifies signatures.
///
/// Only the parameters of the key are read, such as an RSA modulus and exponent. Addresses in the JSON are not fetched,
/// and certificates in it are ignored.
package final class PublicKey: Sendable {
    package let id: ExactText?
    /// The algorithms that the key may be used with: only the one in its ‘alg’ member, or, if it has no such member,
    /// all that its type allows.
    package let algorithms: Set<SigningAlgorithm>
    private let key: Mutex<VerifyingKey>

    /// The accepted lengths of an RSA modulus, in bits. RFC 7518, section 3.3, requires 2,048 bits or more. A modulus
    /// longer than 8,192 bits only makes verification slower.
    static let rsaBits = 2_048...8_192
    /// The maximum size of an RSA exponent, in bytes. Exponents in use are 3 and 65,537. With a long exponent,
    /// verifying a signature costs as much as making one.
    static let exponentSizeMaxBytes = 4
    /// The maximum size of a key's id (‘kid’), in bytes. No provider is known to have longer ones.
    static let idSizeMaxBytes = 256

    /// Reads a JSON Web Key.
    ///
    /// - Returns: `nil` for a key of another type or for another use, or with invalid numbers.
    init?(_ key: JSONNode) {
        guard key["use"].map({ $0.string == "sig" }) ?? true,
            key["key_ops"].map({ $0.elements?.contains { $0.string == "verify" } ?? false }) ?? true,
            let (numbers, possible) = PublicKey.essentials(of: key)
        else { return nil }
        if let id = key["kid"] {
            guard let text = id.string, text.utf8.count <= PublicKey.idSizeMaxBytes else { return nil }
            self.id = ExactText(text)
        } else {
            id = nil
        }
        if let stated = key["alg"] {
            guard let algorithm = stated.string.flatMap(SigningAlgorithm.init), possible.contains(algorithm) else {
                return nil
            }
            algorithms = [algorithm]
        } else {
            algorithms = possible
        }
        guard let made = VerifyingKey(numbers) else { return nil }
        self.key = Mutex(made)
    }

    /// True if the token's signature by this algorithm is valid for this key.
    ///
    /// - Parameter token: a compact JWS whose header names the algorithm.
    func verifies(_ token: String, by algorithm: SigningAlgorithm) -> Bool {
        guard algorithms.contains(algorithm), let end = token.utf8.lastIndex(of: UInt8(ascii: ".")),
            let signature = Base64.decodeURLSafe(String(token[end...].dropFirst()))
        else { return false }
        let signed = Array(token.utf8[..<end])
        return key.withLock { $0.verifies(signed, signature, by: algorithm) }
    }

    /// Returns the parameters of a public key (such as an RSA modulus and exponent), and the algorithms that the key's
    /// type allows. Returns `nil` if the key cannot be used.
    private static func essentials(of key: JSONNode) -> (VerifyingKey.Numbers, Set<SigningAlgorithm>)? {
        guard let type = key["kty"]?.string else { return nil }
        func member(_ name: String) -> [UInt8]? { key[name]?.string.flatMap { Base64.decodeURLSafe($0) } }
        switch (type, key["crv"]?.string) {
        case ("RSA", _):
            guard let modulus = member("n"), let exponent = member("e"),
                rsaBits.contains(modulus.bitCount), exponent.count <= exponentSizeMaxBytes,
                let last = exponent.last, last & 1 == 1, exponent.bitCount > 1
            else { return nil }
            return (.rsa(modulus: modulus, exponent: exponent), [.rs256, .ps256])
        case ("EC", "P-256"):
            guard let x = member("x"), let y = member("y"), x.count == 32, y.count == 32 else { return nil }
            return (.point(x: x, y: y), [.es256])
        case ("OKP", "Ed25519"):
            guard let x = member("x"), x.count == 32 else { return nil }
            return (.edwards(x), [.edDSA])
        default: return nil
        }
    }
}

extension [UInt8] {
    /// The number of significant bits of a big-endian number.
    fileprivate var bitCount: Int {
        guard let first = firstIndex(where: { $0 != 0 }) else { return 0 }
        return (count - first) * 8 - self[first].leadingZeroBitCount
    }
}
