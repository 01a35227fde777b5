internal import CRhonabwy
import Synchronization
import WireFormats

/// A key that an issuer publishes, as a JSON Web Key (RFC 7517), and that signatures are checked by.
///
/// Only what makes the key is handed to the library: no address in it is followed, and no certificate read.
package final class PublicKey: Sendable {
    package let id: ExactText?
    /// What it may be used for: its own ‘alg’, or all that its type allows.
    package let algorithms: Set<SigningAlgorithm>
    private let handle: Mutex<Handle>

    /// RFC 7518, section 3.3, asks for 2,048 bits; larger ones than these only cost time.
    static let rsaBits = 2_048...8_192
    /// Exponents in use are 3 and 65,537. A long one makes a signature cost as much to check as to make.
    static let exponentSizeMaxBytes = 4
    /// Longer ‘kid’s are nobody's.
    static let idSizeMaxBytes = 256

    /// - Returns: `nil` for a key of another type, for another use, or that is not sound.
    init?(_ key: JSONNode) {
        guard key["use"].map({ $0.string == "sig" }) ?? true,
            key["key_ops"].map({ $0.elements?.contains { $0.string == "verify" } ?? false }) ?? true,
            let (members, possible) = PublicKey.essentials(of: key)
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
        guard let handle = Handle(members) else { return nil }
        self.handle = Mutex(handle)
    }

    /// Whether the holder of its private half signed the token, by this algorithm.
    ///
    /// - Parameter token: a compact JWS whose header names the algorithm.
    func verifies(_ token: String, by algorithm: SigningAlgorithm) -> Bool {
        algorithms.contains(algorithm) && handle.withLock { $0.verifies(token, by: algorithm) }
    }

    /// The members that make a public key, and what it may be used for.
    private static func essentials(of key: JSONNode) -> ([(String, String)], Set<SigningAlgorithm>)? {
        guard let type = key["kty"]?.string else { return nil }
        func member(_ name: String) -> (text: String, bytes: [UInt8])? {
            guard let text = key[name]?.string, let bytes = Base64.decodeURLSafe(text) else { return nil }
            return (text, bytes)
        }
        switch (type, key["crv"]?.string) {
        case ("RSA", _):
            guard let modulus = member("n"), let exponent = member("e"),
                rsaBits.contains(modulus.bytes.bitCount), exponent.bytes.count <= exponentSizeMaxBytes,
                let last = exponent.bytes.last, last & 1 == 1, exponent.bytes.bitCount > 1
            else { return nil }
            return ([("kty", type), ("n", modulus.text), ("e", exponent.text)], [.rs256, .ps256])
        case ("EC", "P-256"):
            guard let x = member("x"), let y = member("y"), x.bytes.count == 32, y.bytes.count == 32 else {
                return nil
            }
            return ([("kty", type), ("crv", "P-256"), ("x", x.text), ("y", y.text)], [.es256])
        case ("OKP", "Ed25519"):
            guard let x = member("x"), x.bytes.count == 32 else { return nil }
            return ([("kty", type), ("crv", "Ed25519"), ("x", x.text)], [.edDSA])
        default: return nil
        }
    }

    /// The library's key.
    // Its counts of references are not for several threads (jansson, ‘Thread safety’); the lock sees to that.
    private struct Handle: ~Copyable, @unchecked Sendable {
        private let key: UnsafeMutablePointer<jwk_t>

        init?(_ members: [(String, String)]) {
            _ = Handle.isReady
            let json = JSONWriter.text { writer in
                writer.beginObject()
                for (name, text) in members { writer.member(name, text) }
                writer.endObject()
            }
            var key: UnsafeMutablePointer<jwk_t>?
            guard r_jwk_init(&key) == RHN_OK, let key else { return nil }
            guard r_jwk_import_from_json_str(key, json) == RHN_OK,
                r_jwk_key_type(key, nil, R_FLAG_IGNORE_REMOTE) & R_KEY_TYPE_PUBLIC != 0
            else {
                r_jwk_free(key)
                return nil
            }
            self.key = key
        }

        deinit { r_jwk_free(key) }

        func verifies(_ token: String, by algorithm: SigningAlgorithm) -> Bool {
            var signed: UnsafeMutablePointer<jws_t>?
            guard r_jws_init(&signed) == RHN_OK, let signed else { return false }
            defer { r_jws_free(signed) }
            // No key of the token's own choice is looked at, and nothing unsigned.
            let flags = UInt32(R_PARSE_NONE)
            guard r_jws_advanced_compact_parse(signed, token, flags, R_FLAG_IGNORE_REMOTE) == RHN_OK,
                r_jws_get_alg(signed) == algorithm.rhonabwy
            else { return false }
            return r_jws_verify_signature(signed, key, R_FLAG_IGNORE_REMOTE) == RHN_OK
        }

        private static let isReady: Bool = {
            guard r_global_init() == RHN_OK else { preconditionFailure("librhonabwy cannot start") }
            return true
        }()
    }
}

extension [UInt8] {
    /// Of a number, its highest byte first.
    fileprivate var bitCount: Int {
        guard let first = firstIndex(where: { $0 != 0 }) else { return 0 }
        return (count - first) * 8 - self[first].leadingZeroBitCount
    }
}
