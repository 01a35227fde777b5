import WireFormats

/// An identity provider whose tokens let in, and what its claims mean here: one entry of the file of
/// `serve --identity`.
package struct Issuer: Sendable, Equatable {
    /// What ‘iss’ must be, to the letter.
    package let name: ExactText
    /// One of these must be in ‘aud’: what the provider calls the app.
    package let audiences: [ExactText]
    /// Others whom the provider may make tokens for us out to (‘azp’), beside the audiences.
    let authorizedParties: [ExactText]
    /// What subjects are called here: this, and what the provider calls them. So nobody is taken for somebody else who
    /// has the same name at another provider, or an own token.
    package let subjectPrefix: ExactText
    /// `nil`: every app.
    package let app: String?
    /// Where the keys are; `nil` for where the provider's OpenID configuration says.
    package let keysAddress: String?
    /// True where its configuration and its keys may be on this machine or in a private network. Elsewhere, whoever can
    /// change what a provider publishes, or its name's addresses, could have the server ask what only it can reach.
    package let allowsPrivateAddresses: Bool
    package let algorithms: Set<SigningAlgorithm>
    /// How far the provider's clock and ours may be apart.
    package let leeway: Duration
    let subjectClaim: ClaimPath
    let spacesClaim: ClaimPath?
    let role: RoleClaim?

    /// Clocks that are kept by NTP differ by less than a second; a minute is what providers advise.
    package static let leewayDefault = Duration.seconds(60)
    /// Five minutes: beyond that, a token that expired is a token that expired.
    package static let leewayMax = Duration.seconds(300)

    /// The name that `allowsPrivateAddresses` has in the file.
    static let allowsPrivateMember = "allowPrivateAddresses"

    /// Which claim says what its holder may do.
    struct RoleClaim: Sendable, Equatable {
        let claim: ClaimPath
        let write: Set<ExactText>
        let read: Set<ExactText>

        /// Whether the holder may push; `nil` where it has neither role.
        func mayWrite(_ claims: JSONNode) -> Bool? {
            let words = Set((claim.texts(in: claims) ?? []).map { ExactText($0) })
            if !words.isDisjoint(with: write) { return true }
            return words.isDisjoint(with: read) ? nil : false
        }
    }

    /// What a token says, should its signature be right.
    ///
    /// - Throws: why it lets nobody in, whoever signed it.
    func reading(_ claims: JSONNode, at now: Timestamp) throws(TokenFault) -> SignedIn {
        guard let end = try NumericDate(claims["exp"], "exp") else { throw .claim("exp") }
        let ends = end.time.adding(leeway)
        guard now < ends else { throw .expired }
        let issued = try NumericDate(claims["iat"], "iat")
        for start in [issued, try NumericDate(claims["nbf"], "nbf")].compactMap(\.self) {
            guard start.time <= now.adding(leeway) else { throw .notYetValid }
        }
        // A notice of the provider's, such as that somebody signed out (RFC 8417): it lets nobody in.
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

/// Where a claim is: its name, or a JSON pointer (RFC 6901), which begins with ‘/’, into what some providers nest.
struct ClaimPath: Sendable, Equatable {
    let text: String
    private let steps: [String]

    /// RFC 7519, section 4.1.2.
    static let subject = ClaimPath(name: "sub")

    private init(name: String) { (text, steps) = (name, [name]) }

    /// The same claim, however it is written.
    static func == (one: ClaimPath, other: ClaimPath) -> Bool {
        one.steps.map { ExactText($0) } == other.steps.map { ExactText($0) }
    }

    /// - Returns: `nil` for what can be no claim: an empty text, and a pointer with a ‘~’ that stands for nothing.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let isEscaped = bytes.indices.allSatisfy { place in
            bytes[place] != UInt8(ascii: "~") || bytes[(place + 1)...].first.map { "01".utf8.contains($0) } ?? false
        }
        guard !bytes.isEmpty, bytes[0] != UInt8(ascii: "/") || isEscaped else { return nil }
        self.text = text
        guard text.utf8.first == UInt8(ascii: "/") else {
            steps = [text]
            return
        }
        steps = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { step in
            // RFC 6901, section 4: in this order, so that ‘~01’ is ‘~1’.
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

    /// Its words: an array of strings, or one string with spaces between them, as ‘scope’ is (RFC 8693, section 4.2).
    func texts(in claims: JSONNode) -> [String]? {
        guard let node = node(in: claims) else { return nil }
        // By scalars: a space that a mark stands on is still one.
        if let text = node.string { return text.unicodeScalars.split(separator: " ").map { String($0) } }
        return node.strings
    }
}

/// Seconds since 1970, whole or not (RFC 7519, section 2).
struct NumericDate {
    let time: Timestamp

    /// The year 5138 or so. A number from outside must not overflow.
    private static let secondsMax = 100_000_000_000.0

    /// - Returns: `nil` where there is none.
    init?(_ node: JSONNode?, _ name: String) throws(TokenFault) {
        guard let node else { return nil }
        guard let seconds = node.double, abs(seconds) <= NumericDate.secondsMax else { throw .claim(name) }
        time = Timestamp(microseconds: Int64(seconds * 1_000_000))
    }
}
