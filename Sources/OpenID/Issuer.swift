import StrictJSON
import WireFormats

/// An identity provider whose tokens are accepted, and the meaning of its claims. It is one entry of the file of `serve
/// --identity`.
package struct Issuer: Sendable, Equatable {
    /// The issuer's name, which the ‘iss’ claim must equal byte for byte.
    package let name: ExactText
    /// The accepted audiences: the provider's names for the app. A token's ‘aud’ claim must contain at least one of
    /// them.
    package let audiences: [ExactText]
    /// Parties that are accepted as the authorized party of a token (‘azp’ claim), in addition to the audiences.
    let authorizedParties: [ExactText]
    /// The text that this provider's subject names begin with. The provider's name for the person follows it. The
    /// prefix distinguishes people who have the same name at different providers or in the server's own tokens.
    package let subjectPrefix: ExactText
    /// The app that the tokens are for; `nil` for every app.
    package let app: String?
    /// The address of the provider's key set; `nil` if the address is to be read from the provider's OpenID
    /// configuration.
    package let keysAddress: String?
    /// True if the provider's configuration and keys may be on this machine or in a private network. If it is false,
    /// such addresses are refused. Otherwise an attacker who controls the provider's documents or its domain name could
    /// make the server send requests into the server's own network.
    package let allowsPrivateAddresses: Bool
    package let algorithms: Set<SigningAlgorithm>
    /// The largest tolerated difference between the provider's clock and the server's.
    package let leeway: Duration
    let subjectClaim: ClaimPath
    let spacesClaim: ClaimPath?
    let role: RoleClaim?

    /// The default of `leeway`: one minute, as providers recommend. Clocks that are synchronized with NTP differ by
    /// less than a second, so a minute is enough.
    package static let leewayDefault = Duration.seconds(60)
    /// The largest leeway, five minutes: with more, tokens would be accepted long after they expired.
    package static let leewayMax = Duration.seconds(300)

    /// The key of the identity file's member that sets `allowsPrivateAddresses`.
    static let allowsPrivateMember = "allowPrivateAddresses"

    /// The claim that contains the person's roles, and the roles that allow writing or only reading.
    struct RoleClaim: Sendable, Equatable {
        let claim: ClaimPath
        let write: Set<ExactText>
        let read: Set<ExactText>

        /// Returns true if the claims contain a role that allows writing, and false if they contain only roles that
        /// allow reading. Returns `nil` if they contain no such role at all.
        func mayWrite(_ claims: JSONNode) -> Bool? {
            let words = Set((claim.texts(in: claims) ?? []).map { ExactText($0) })
            if !words.isDisjoint(with: write) { return true }
            return words.isDisjoint(with: read) ? nil : false
        }
    }

    /// Checks and converts the claims of a token, without checking the signature.
    ///
    /// - Throws: the reason why the token gives no access even with a valid signature.
    func reading(_ claims: JSONNode, at now: Timestamp) throws(TokenFault) -> SignedIn {
        guard let end = try NumericDate(claims["exp"], "exp") else { throw .claim("exp") }
        let ends = end.time.adding(leeway)
        guard now < ends else { throw .expired }
        let issued = try NumericDate(claims["iat"], "iat")
        for start in [issued, try NumericDate(claims["nbf"], "nbf")].compactMap(\.self) {
            guard start.time <= now.adding(leeway) else { throw .notYetValid }
        }
        // The token is a notice of the provider's, such as that somebody signed out (RFC 8417): it grants no access.
        if claims["events"] != nil { throw .claim("events") }
        return SignedIn(
            subject: try subject(claims), app: app, mayWrite: try mayWrite(claims), spaces: try spaces(claims),
            issued: issued?.time ?? Timestamp(microseconds: 0), ends: ends)
    }

    private func subject(_ claims: JSONNode) throws(TokenFault) -> Subject {
        guard let text = subjectClaim.node(in: claims)?.string, !text.isEmpty, !text.containsControls,
            subjectPrefix.text.utf8.count + text.utf8.count <= Subject.sizeMaxBytes
        else { throw .claim(subjectClaim.text) }
        return Subject(subjectPrefix.text + text)
    }

    private func mayWrite(_ claims: JSONNode) throws(TokenFault) -> Bool {
        guard let role else { return true }
        guard let mayWrite = role.mayWrite(claims) else { throw .claim(role.claim.text) }
        return mayWrite
    }

    private func spaces(_ claims: JSONNode) throws(TokenFault) -> [ID] {
        guard let claim = spacesClaim, let node = claim.node(in: claims), !node.isNull else { return [] }
        guard let texts = claim.texts(in: claims), texts.count <= IdentityFile.spacesMax else {
            throw .claim(claim.text)
        }
        let spaces = texts.compactMap { ID($0) }
        guard spaces.count == texts.count else { throw .claim(claim.text) }
        return spaces
    }
}

/// The path of a claim: its name, or a JSON pointer (RFC 6901), which begins with ‘/’. A pointer is needed for a claim
/// that is nested in other objects, as those of some providers are.
struct ClaimPath: Sendable, Equatable {
    let text: String
    private let steps: [String]

    /// The ‘sub’ claim (RFC 7519, section 4.1.2).
    static let subject = ClaimPath(name: "sub")

    private init(name: String) { (text, steps) = (name, [name]) }

    /// True if two paths name the same claim, even if one is a name and the other a pointer.
    static func == (one: ClaimPath, other: ClaimPath) -> Bool {
        one.steps.map { ExactText($0) } == other.steps.map { ExactText($0) }
    }

    /// Parses a name or a JSON pointer.
    ///
    /// - Returns: `nil` for a text that cannot name a claim: an empty text, or a pointer with an invalid ‘~’ escape.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let isEscaped = bytes.indices.allSatisfy { index in
            bytes[index] != UInt8(ascii: "~") || bytes[(index + 1)...].first.map { "01".utf8.contains($0) } ?? false
        }
        guard !bytes.isEmpty, bytes[0] != UInt8(ascii: "/") || isEscaped else { return nil }
        self.text = text
        guard text.utf8.first == UInt8(ascii: "/") else {
            steps = [text]
            return
        }
        steps = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { step in
            // RFC 6901, section 4: in this order, so that ‘~01’ becomes ‘~1’.
            step.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
                .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
        }
    }

    func node(in claims: JSONNode) -> JSONNode? {
        var node = claims
        for step in steps {
            guard let next = node[step] else { return nil }
            node = next
        }
        return node
    }

    /// Returns the words of the claim, which is an array of strings, or one string with spaces between the words as in
    /// ‘scope’ (RFC 8693, section 4.2). `nil` if the claim is missing or has another form.
    func texts(in claims: JSONNode) -> [String]? {
        guard let node = node(in: claims) else { return nil }
        // By scalars: a space with a combining mark still separates words.
        if let text = node.string { return text.unicodeScalars.split(separator: " ").map { String($0) } }
        return node.strings
    }
}

/// A time in a token: seconds since 1970, possibly with a fraction (RFC 7519, section 2).
struct NumericDate {
    let time: Timestamp

    /// The largest accepted number of seconds, in about the year 5138, so that a number in a token cannot overflow.
    private static let secondsMax = 100_000_000_000.0

    /// Reads the claim `name` from its node.
    ///
    /// - Returns: `nil` if there is no such claim.
    /// - Throws: `TokenFault` if the claim is not a number, or is out of range.
    init?(_ node: JSONNode?, _ name: String) throws(TokenFault) {
        guard let node else { return nil }
        guard let seconds = node.double, abs(seconds) <= NumericDate.secondsMax else { throw .claim(name) }
        time = Timestamp(microseconds: Int64(seconds * 1_000_000))
    }
}
