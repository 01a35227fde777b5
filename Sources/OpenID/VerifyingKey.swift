internal import COpenSSL

// Not copyable, so that the owner ensures that one thread at a time uses the key (openssl-threads(7)).
/// A public key as OpenSSL represents it, for verifying signatures.
struct VerifyingKey: ~Copyable, @unchecked Sendable {
    private let key: OpaquePointer

    /// The numbers of which a public key consists, as big-endian bytes.
    enum Numbers {
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// A point of P-256: two coordinates of 32 bytes each.
        case point(x: [UInt8], y: [UInt8])
        /// A point of Ed25519: 32 bytes.
        case edwards([UInt8])
    }

    /// Creates a key from its numbers, such as an RSA modulus and exponent.
    ///
    /// - Returns: `nil` if the numbers are not a valid key, such as a point that is not on the curve.
    init?(_ numbers: Numbers) {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let key: OpaquePointer? =
            switch numbers {
            case .rsa(let modulus, let exponent): VerifyingKey.rsa(modulus, exponent)
            // SEC 1, section 2.3.3: an uncompressed point.
            case .point(let x, let y): VerifyingKey.point([0x04] + x + y)
            case .edwards(let bytes): EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
            }
        guard let key else { return nil }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// True if the signature of the message is valid for this key.
    ///
    /// - Parameter signature: a signature in the form of JWS (RFC 7518, sections 3.3 to 3.5; RFC 8037, section 3.1).
    func verifies(_ message: [UInt8], _ signature: [UInt8], by algorithm: SigningAlgorithm) -> Bool {
        // The next TLS connection on this thread would take errors left in its queue for its own.
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        guard let signature = algorithm == .es256 ? VerifyingKey.der(signature) : signature,
            hasLengthOfKey(signature, algorithm), let context = EVP_MD_CTX_new()
        else { return false }
        defer { EVP_MD_CTX_free(context) }
        var parameters: OpaquePointer?
        let digest = algorithm == .edDSA ? nil : EVP_sha256()
        guard EVP_DigestVerifyInit(context, &parameters, digest, nil, key) == 1 else { return false }
        if algorithm == .ps256 {
            guard EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1
            else { return false }
        }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// True if the signature has the length that the key requires. An RSA signature has as many bytes as the modulus
    /// (RFC 8017, sections 8.1.2 and 8.2.2, step 1). OpenSSL also accepts a signature without its leading zeros, which
    /// would be a second text of the same token.
    private func hasLengthOfKey(_ signature: [UInt8], _ algorithm: SigningAlgorithm) -> Bool {
        switch algorithm {
        case .rs256, .ps256: signature.count == Int(EVP_PKEY_get_size(key))
        case .es256, .edDSA: true
        }
    }

    private static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) -> OpaquePointer? {
        let (n, e) = (BN_bin2bn(modulus, CInt(modulus.count), nil), BN_bin2bn(exponent, CInt(exponent.count), nil))
        defer {
            BN_free(n)
            BN_free(e)
        }
        return made("RSA") { builder in copenssl_push_rsa(builder, n, e) == 1 }
    }

    private static func point(_ bytes: [UInt8]) -> OpaquePointer? {
        bytes.withUnsafeBytes { point in
            made("EC") { builder in copenssl_push_p256(builder, point.baseAddress, point.count) == 1 }
        }
    }

    /// Creates a key from its parameters: EVP_PKEY_fromdata(3).
    ///
    /// - Parameter push: adds the parameters to OpenSSL's builder, and returns false if that fails. The memory of the
    ///   parameters must stay valid until this method returns.
    private static func made(_ type: String, _ push: (OpaquePointer) -> Bool) -> OpaquePointer? {
        guard let builder = OSSL_PARAM_BLD_new() else { return nil }
        defer { OSSL_PARAM_BLD_free(builder) }
        guard push(builder), let parameters = OSSL_PARAM_BLD_to_param(builder) else { return nil }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, copenssl_public_key, parameters) == 1
        else { return nil }
        return key
    }

    /// Converts an ECDSA signature from the form of JWS, two numbers of 32 bytes each, to the DER form that OpenSSL
    /// requires (RFC 3279, section 2.2.3). Returns `nil` for a signature of any other length.
    private static func der(_ plain: [UInt8]) -> [UInt8]? {
        guard plain.count == 64 else { return nil }
        let numbers = [plain[..<32], plain[32...]].flatMap { number -> [UInt8] in
            var digits = Array(number.drop { $0 == 0 })
            // The highest bit would be read as the sign.
            if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
            return [0x02, UInt8(digits.count)] + digits
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }
}
