import StrictJSON
import WireFormats

/// An identity provider whose tokens are accepted, and the meaning of its claims: one entry of the file of `serve
/// --identity`.
package struct Issuer: Sendable, Equatable {
    /// The issuer's name, which the ‘iss’ claim must equal byte for byte.
    package let name: ExactText
    /// The audiences that are accepted, one of which must be in ‘aud’: the provider's names for the app.
    package let audiences: [ExactText]
    /// Further parties to which the provider may issue tokens for this server (‘azp’), beside the audiences.
    let authorizedParties: [ExactText]
    /// The prefix of subjects here: a subject is this prefix and the provider's name for the person. So nobody is
    /// mistaken for somebody who has the same name at another provider, or one of the server's own tokens.
    package let subjectPrefix: ExactText
    /// The app that the tokens are for; `nil` for every app.
    package let app: String?
    /// The address of the key set; `nil` if the provider's OpenID configuration states it.
    package let keysAddress: String?
    /// True if the provider's configuration and keys may be on this machine or in a private network. Otherwise, whoever
    /// can change what a provider publishes, or the addresses of its name, could make the server request what only the
    /// server can reach.
    package let allowsPrivateAddresses: Bool
    package let algorithms: Set<SigningAlgorithm>
    /// The largest tolerated difference between the provider's clock and the server's.
    package let leeway: Duration
    let subjectClaim: ClaimPath
    let spacesClaim: ClaimPath?
    let role: RoleClaim?

    /// The default leeway, one minute, as providers advise. Clocks that are kept by NTP differ by less than a second.
    package static let leewayDefault = Duration.seconds(60)
    /// The largest leeway, five minutes: with more, tokens would be accepted long after they expired.
    package static let leewayMax = Duration.seconds(300)

    /// The name of `allowsPrivateAddresses` in the file.
    static let allowsPrivateMember = "allowPrivateAddresses"

    /// The claim that states the holder's role, and its values that allow writing or reading.
    struct RoleClaim: Sendable, Equatable {
        let claim: ClaimPath
        let write: Set<ExactText>
        let read: Set<ExactText>

        /// True if the holder may push; `nil` if the holder has neither role.
        func mayWrite(_ claims: JSONNode) -> Bool? {
            let words = Set((claim.texts(in: claims) ?? []).map { ExactText($0) })
            if !words.isDisjoint(with: write) { return true }
            return words.isDisjoint(with: read) ? nil : false
        }
    }

    /// Reads the claims of a token, without checking the signature.
    ///
    /// - Throws: the reason why the token grants no access, whoever signed it.
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

/// The path of a claim: its name, or a JSON pointer (RFC 6901), which begins with ‘/’, to a claim that some providers
/// nest.
struct ClaimPath: Sendable, Equatable {
    let text: String
    private let steps: [String]

    /// The ‘sub’ claim (RFC 7519, section 4.1.2).
    static let subject = ClaimPath(name: "sub")

    private init(name: String) { (text, steps) = (name, [name]) }

    /// Compares the claims that two paths name, however the paths are written.
    static func == (one: ClaimPath, other: ClaimPath) -> Bool {
        one.steps.map { ExactText($0) } == other.steps.map { ExactText($0) }
    }

    /// - Returns: `nil` for a text that can name no claim: an empty text, and a pointer with an invalid ‘~’ escape.
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

    /// The words of the claim: an array of strings, or one string with spaces between the words, as ‘scope’ has them
    /// (RFC 8693, section 4.2).
    func texts(in claims: JSONNode) -> [String]? {
        guard let node = node(in: claims) else { return nil }
        // By scalars: a space with a combining mark still separates words.
        if let text = node.string { return text.unicodeScalars.split(separator: " ").map { String($0) } }
        return node.strings
    }
}

/// A date of a token: seconds since 1970, whole or not (RFC 7519, section 2).
struct NumericDate {
    let time: Timestamp

    /// The largest number of seconds, in about the year 5138. A number from outside must not overflow.
    private static let secondsMax = 100_000_000_000.0

    /// - Returns: `nil` if there is no such claim.
    init?(_ node: JSONNode?, _ name: String) throws(TokenFault) {
        guard let node else { return nil }
        guard let seconds = node.double, abs(seconds) <= NumericDate.secondsMax else { throw .claim(name) }
        time = Timestamp(microseconds: Int64(seconds * 1_000_000))
    }
}
