import StrictJSON
import WireFormats

/// A JSON Web Token (RFC 7519) as a compact JWS (RFC 7515, section 3.1), parsed strictly. Its claims must not be
/// trusted before its signature is verified.
struct SignedToken {
    let text: String
    let algorithm: SigningAlgorithm
    let keyID: ExactText?
    let claims: JSONNode

    /// The maximum size of a token, in bytes. Providers' tokens have one or two kilobytes, and the headers of a request
    /// may have 16 KiB.
    static let sizeMaxBytes = 8_192

    private static let jsonLimits = JSONDocument.Limits(bytesMax: sizeMaxBytes, depthMax: 16)

    /// The header members for which a token is refused. They choose the key or the rules of verification, and an
    /// attacker who makes a token also makes its header (RFC 8725, sections 2.10 and 3.10). ‘crit’ names extensions,
    /// and this server supports none (RFC 7515, section 4.1.11).
    private static let forbidden = ["jwk", "jku", "x5u", "x5c", "crit", "b64", "zip", "enc"]
    /// The accepted values of the header's ‘typ’ member. Tokens for other purposes have other types (RFC 8725, section
    /// 3.11).
    private static let types = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"]

    /// Parses a token, without checking its signature.
    ///
    /// - Throws: the reason why the text is not an acceptable token.
    init(_ text: String) throws(TokenFault) {
        guard SignedToken.hasForm(text) else { throw .form }
        // By bytes: splitting by characters would search all of 8 KiB for combining marks on dots.
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

    /// Returns true if a bearer token may be a signed token. Such a token is not too large, and begins with `eyJ`,
    /// which is `{"` in base64url. It has three parts in the characters of base64url, separated by points.
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

    /// Decodes and parses one part of a token.
    ///
    /// - Parameter name: the name of the part, for the error.
    /// - Throws: `TokenFault` if the part is not base64url of strict JSON with an object at its root.
    private static func object(_ part: String, _ name: String) throws(TokenFault) -> JSONNode {
        guard let bytes = Base64.decodeURLSafe(part) else { throw .form }
        guard let document = try? JSONDocument(parsing: bytes, limits: jsonLimits),
            document.root.members != nil
        else { throw .content(name) }
        return document.root
    }
}
