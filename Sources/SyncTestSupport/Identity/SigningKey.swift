import COpenSSL
import Synchronization
import WireFormats

/// A key pair of an identity provider, which signs tokens.
package final class SigningKey: Sendable {
    /// The public key as a JSON Web Key.
    package let publicKey: JSONValue
    package let id: String?
    private let algorithm: String
    private let key: Mutex<Handle>

    /// Makes a key pair.
    ///
    /// - Parameters:
    ///   - algorithm: RS256, PS256, ES256 or EdDSA.
    ///   - id: the key's id (‘kid’); `nil` if it has none.
    ///   - bits: the size of the key, if it is an RSA key.
    package init(_ algorithm: String, id: String? = "key-1", bits: Int32 = 2_048) {
        self.algorithm = algorithm
        self.id = id
        let handle = Handle(algorithm, bits: bits)
        var members = handle.publicMembers
        members["kid"] = id.map { .string($0) }
        members["use"] = "sig"
        publicKey = .object(members)
        key = Mutex(handle)
    }

    /// Returns a signed token with these claims. Members in `header` are added to its header, or replace members there.
    package func token(_ claims: JSONValue, header: [String: JSONValue] = [:]) -> String {
        var members: [String: JSONValue] = ["alg": .string(algorithm), "typ": "JWT"]
        members["kid"] = id.map { .string($0) }
        return signing(JSONValue.object(members.merging(header) { $1 }).text, claims.text)
    }

    /// Returns a signed token with these texts as header and claims. They may be malformed.
    package func signing(_ header: String, _ claims: String) -> String {
        let signed = SigningKey.part(header) + "." + SigningKey.part(claims)
        return signed + "." + Base64.encodeURLSafe(signature(of: signed))
    }

    /// Returns a token that is authenticated with a secret (HMAC) instead of a signature. A server that mistook its
    /// public key for a shared secret would accept it (RFC 8725, section 2.1).
    package static func token(_ claims: JSONValue, secret: [UInt8], header: JSONValue) -> String {
        let signed = part(header.text) + "." + part(claims.text)
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let bytes = Array(signed.utf8)
        precondition(HMAC(EVP_sha256(), secret, CInt(secret.count), bytes, bytes.count, &digest, &length) != nil)
        return signed + "." + Base64.encodeURLSafe(digest)
    }

    package static func part(_ text: String) -> String { Base64.encodeURLSafe(Array(text.utf8)) }

    private func signature(of text: String) -> [UInt8] {
        key.withLock { $0.signature(of: Array(text.utf8), algorithm) }
    }

    // EVP_PKEY(3): one thread at a time may use it, and the lock sees to that.
    private struct Handle: ~Copyable, @unchecked Sendable {
        private let key: OpaquePointer

        init(_ algorithm: String, bits: Int32) {
            let kind =
                switch algorithm {
                case "ES256": "EC"
                case "EdDSA": "ED25519"
                default: "RSA"
                }
            var key: OpaquePointer?
            let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil)
            defer { EVP_PKEY_CTX_free(context) }
            precondition(EVP_PKEY_keygen_init(context) == 1)
            if kind == "RSA" { precondition(EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1) }
            if kind == "EC" { precondition(EVP_PKEY_CTX_set_group_name(context, "P-256") == 1) }
            guard EVP_PKEY_generate(context, &key) == 1, let key else { preconditionFailure("OpenSSL makes no key") }
            self.key = key
        }

        deinit { EVP_PKEY_free(key) }

        var publicMembers: [String: JSONValue] {
            func member(_ name: String, size: Int? = nil) -> JSONValue {
                var number: OpaquePointer?
                precondition(EVP_PKEY_get_bn_param(key, name, &number) == 1)
                defer { BN_free(number) }
                let count = size ?? Int(BN_num_bits(number) + 7) / 8
                var bytes = [UInt8](repeating: 0, count: count)
                precondition(BN_bn2binpad(number, &bytes, CInt(count)) == count)
                return .string(Base64.encodeURLSafe(bytes))
            }
            if EVP_PKEY_is_a(key, "RSA") == 1 { return ["kty": "RSA", "n": member("n"), "e": member("e")] }
            if EVP_PKEY_is_a(key, "EC") == 1 {
                return ["kty": "EC", "crv": "P-256", "x": member("qx", size: 32), "y": member("qy", size: 32)]
            }
            var bytes = [UInt8](repeating: 0, count: 32)
            var count = bytes.count
            precondition(EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1)
            return ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64.encodeURLSafe(bytes))]
        }

        func signature(of bytes: [UInt8], _ algorithm: String) -> [UInt8] {
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            var parameters: OpaquePointer?
            let digest = algorithm == "EdDSA" ? nil : EVP_sha256()
            precondition(EVP_DigestSignInit(context, &parameters, digest, nil, key) == 1)
            if algorithm == "PS256" {
                precondition(EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1)
                precondition(EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1)
            }
            var count = 0
            precondition(EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1)
            var signature = [UInt8](repeating: 0, count: count)
            precondition(EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1)
            signature.removeLast(signature.count - count)
            return algorithm == "ES256" ? SigningKey.plain(signature) : signature
        }
    }

    /// Converts an ECDSA signature from OpenSSL's form (DER) to that of a token: two numbers of 32 bytes (RFC 7518,
    /// section 3.4).
    private static func plain(_ der: [UInt8]) -> [UInt8] {
        var rest = der.dropFirst(2)
        return (0..<2).flatMap { _ -> [UInt8] in
            let count = Int(rest[rest.startIndex + 1])
            let number = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
            rest = rest.dropFirst(2 + count)
            return [UInt8](repeating: 0, count: 32 - number.count) + number
        }
    }
}
