import COpenSSL

/// SHA-256 (FIPS 180-4) of bytes, as lower-case hexadecimal text or as bytes.
package enum Checksum {
    package static func sha256(of bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let hexadecimal = digest(of: bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: hexadecimal, as: UTF8.self)
    }

    /// Returns the SHA-256 digest of `bytes` as 32 bytes.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        precondition(status == 1, "SHA-256 of memory cannot fail.")
        return digest
    }
}
