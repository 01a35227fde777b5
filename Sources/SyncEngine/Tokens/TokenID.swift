/// The public identifier of a token, used wherever its secret must not appear: the first eight bytes of the hash under
/// which the token is stored.
///
/// The hash reveals nothing of the secret. Even among a million tokens, two with the same eight bytes are very
/// improbable.
package struct TokenID: Hashable, Sendable, CustomStringConvertible {
    /// The first bytes of the hash under which the token is stored.
    let bytes: [UInt8]

    private static let byteCount = 8

    package init(ofHash hash: [UInt8]) {
        bytes = Array(hash.prefix(TokenID.byteCount))
    }

    /// Parses the text that `description` writes.
    package init?(_ text: String) {
        let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
        guard digits.count == TokenID.byteCount * 2, text.utf8.count == digits.count else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Sixteen hexadecimal digits.
    package var description: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0\(digits)" : digits
        }.joined()
    }

    /// The lowest and the highest hash that begin with the bytes of this id.
    var hashes: (first: [UInt8], last: [UInt8]) {
        let rest = SHA256.byteCount - bytes.count
        return (bytes + [UInt8](repeating: 0, count: rest), bytes + [UInt8](repeating: .max, count: rest))
    }
}
