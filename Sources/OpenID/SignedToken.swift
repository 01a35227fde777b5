import WireFormats

/// A JSON Web Token (RFC 7519) as a compact JWS (RFC 7515, section 3.1), read strictly. Nothing that it says counts
/// before its signature was checked.
struct SignedToken {
    let text: String
    let algorithm: SigningAlgorithm
    let keyID: ExactText?
    let claims: JSONNode

    /// Larger ones come from nobody: a provider's tokens have one or two kilobytes, and the head of a request 16 KiB.
    static let sizeMaxBytes = 8_192

    private static let jsonLimits = JSONDocument.Limits(bytesMax: sizeMaxBytes, depthMax: 16)

    /// What says which key or which rules are to be believed. Whoever makes a token also makes these (RFC 8725,
    /// sections 2.10 and 3.10); ‘crit’ names rules that nobody here knows (RFC 7515, section 4.1.11).
    private static let forbidden = ["jwk", "jku", "x5u", "x5c", "crit", "b64", "zip", "enc"]
    /// RFC 8725, section 3.11: tokens for other purposes say so.
    private static let types = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"]

    /// - Throws: what is wrong with its form.
    init(_ text: String) throws(TokenFault) {
        guard SignedToken.hasForm(text) else { throw .form }
        // By bytes: characters would be sought for marks that might stand on a dot, in all of 8 KiB.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard Base64.decodeURLSafe(parts[2]) != nil else { throw .form }
        let header = try SignedToken.object(parts[0], "header")
        if let name = SignedToken.forbidden.first(where: { header[$0] != nil }) { throw .header(name) }
        if let type = header["typ"] {
            guard let text = type.string, SignedToken.types.contains(text.lowercased()) else { throw .header("typ") }
        }
        guard let stated = header["alg"]?.string else { throw .content("header") }
        guard let algorithm = SigningAlgorithm(rawValue: stated) else { throw .algorithm }
        if let id = header["kid"] {
            guard let text = id.string, text.utf8.count <= PublicKey.idSizeMaxBytes else { throw .key }
            keyID = ExactText(text)
        } else {
            keyID = nil
        }
        claims = try SignedToken.object(parts[1], "claims")
        self.text = text
        self.algorithm = algorithm
    }

    /// Whether a bearer token may be one: three parts in the characters of base64url, and not too large.
    static func hasForm(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count <= sizeMaxBytes, bytes.starts(with: "eyJ".utf8) else { return false }
        var dots = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "."): dots += 1
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): break
            default: return false
            }
        }
        return dots == 2
    }

    /// - Throws: where the part is no object that can be read in one way only.
    private static func object(_ part: String, _ name: String) throws(TokenFault) -> JSONNode {
        guard let bytes = Base64.decodeURLSafe(part) else { throw .form }
        guard let document = try? JSONDocument(parsing: bytes, limits: jsonLimits),
            document.root.members != nil
        else { throw .content(name) }
        return document.root
    }
}
