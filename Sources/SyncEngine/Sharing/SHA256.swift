import COpenSSL

// Not copyable, so that one thread at a time uses the context, which is all that EVP_DigestInit(3) asks for.
/// A SHA-256 computation by OpenSSL, for any number of digests. Creating it once is worthwhile, because that costs more
/// than the digest of a short text.
package struct SHA256: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer
    private let method: OpaquePointer

    package static let byteCount = 32

    package init() {
        guard let method = EVP_MD_fetch(nil, "SHA2-256", nil), let context = EVP_MD_CTX_new() else {
            preconditionFailure("OpenSSL has no SHA-256")
        }
        self.method = method
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(method)
    }

    /// Returns the SHA-256 of the text's UTF-8, 32 bytes.
    package mutating func hash(_ text: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
        var text = text
        let isDone = text.withUTF8 { bytes in
            EVP_DigestInit_ex2(context, method, nil) == 1
                && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                && EVP_DigestFinal_ex(context, &digest, nil) == 1
        }
        precondition(isDone, "OpenSSL cannot compute SHA-256")
        return digest
    }
}
