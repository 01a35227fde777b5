import HTTPServer
import OpenID
package import Postgres
import SyncEngine
package import WireFormats

/// Finds out who sends a request. What is known of a token, valid or not, is remembered for a moment, so that neither a
/// busy device nor who tries the same token again and again costs a query each time.
///
/// Look-ups wait in lines, with a session each: tokens that were valid before, and *strangers*, of which nothing is
/// known: those in our form, and those that say they are of an identity provider. So however many strangers come with
/// tokens of their own making, who was here before does not wait for them.
package final class Authenticator: Sendable {
    private let policy: LivePolicy
    private let questions: TokenQuestions
    private let time: @Sendable () -> Timestamp
    private let known: TokenLine
    private let strangers: TokenLine
    private let signedStrangers: TokenLine

    /// No secret of ours is longer; hashing more would be work for an attacker's benefit.
    static let secretSizeMaxBytes = 256
    /// The most strangers from one network among those that wait: a quarter, which leaves room to the others.
    static let strangersPerNetworkMax = TokenLine.waitingMax / 4
    /// The rest after each question about strangers. So these are fifty a second at most, a few hundredths of a core.
    static let strangersRest = Duration.milliseconds(20)
    /// The most signatures that one question checks, some 5 ms of a processor: each takes 30 to 140 µs, of which a
    /// token of 8 KiB has 20 for its length.
    static let signaturesMax = 50
    /// The rest after each signature, three times what the dearest takes. So strangers' signatures take a quarter of a
    /// core at most, whatever their tokens are like, and some 2,000 devices a second can come with a new token each
    /// (measured on 27 November 2026: docs/security.md).
    static let signatureRest = Duration.microseconds(400)

    /// Who sends a request.
    enum Identity {
        case known(TokenBearer)
        /// No token, none of ours, or one that is not valid.
        case unknown
        /// It must be looked up.
        case unclear(Token)
    }

    /// A token whose form is right.
    struct Token {
        let hash: [UInt8]
        fileprivate let form: Form

        fileprivate enum Form {
            case own(wasValid: Bool)
            /// An identity provider's, whose signature was found right.
            case verified(SignedIn)
            /// One that says it is an identity provider's.
            case signed(String)
        }

        /// Whether nobody knows yet that it was ever valid.
        var isStrange: Bool {
            switch form {
            case .own(let wasValid): !wasValid
            case .verified: false
            case .signed: true
            }
        }
    }

    /// What it is doing, and did since the start.
    package struct Counts: Sendable, Equatable {
        /// Requests that wait for a look-up.
        package var waiting = 0
        /// Look-ups so far: each a query, about as many tokens as waited.
        package var questions = 0
    }

    /// - Parameters:
    ///   - apps: in which a subject may have erased its account.
    ///   - policy: whose tokens let in beside our own.
    ///   - time: what their tokens end by.
    package init(
        pool: Pool, apps: [String], policy: LivePolicy = LivePolicy(),
        time: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        let questions = TokenQuestions(pool: pool, apps: apps, time: time)
        let question: TokenLine.Question = { try await questions.remembered($0) }
        self.policy = policy
        self.time = time
        self.questions = questions
        known = TokenLine(question: question)
        strangers = TokenLine(
            waitingPerNetworkMax: Authenticator.strangersPerNetworkMax, rest: Authenticator.strangersRest,
            question: question)
        signedStrangers = TokenLine(
            waitingPerNetworkMax: Authenticator.strangersPerNetworkMax, askedMax: Authenticator.signaturesMax,
            restForEach: Authenticator.signatureRest, question: question)
    }

    private var providers: IdentityProviders? { policy.current.providers }

    /// Has the signature of each token of a provider looked at again, because what they mean has changed.
    func forgetSignedIn() { questions.signedIn.forget() }

    package var counts: Counts {
        let lines = [known, strangers, signedStrangers].map(\.counts)
        return Counts(waiting: lines.map(\.waiting).reduce(0, +), questions: lines.map(\.questions).reduce(0, +))
    }

    /// Who sends a request with this `Authorization` header, as far as that is known without asking (RFC 6750).
    func identity(authorization: String?, now: ContinuousClock.Instant = .now) -> Identity {
        guard let secret = authorization.flatMap(bearer) else { return .unknown }
        let isOwn = secret.isWellFormed(as: .token)
        guard isOwn || providers != nil else { return .unknown }
        let hash = secret.hash
        switch questions.memory.knowledge(of: hash, at: now) {
        case .valid(let found, let needsRefresh):
            if needsRefresh { known.refresh(AskedToken(hash: hash)) }
            return .known(TokenBearer(hash: hash, found: found))
        case .invalid: return .unknown
        case .nothing(let wasValid):
            if isOwn { return .unclear(Token(hash: hash, form: .own(wasValid: wasValid))) }
            // Only now: of one that is known its form is, too.
            guard IdentityProviders.mayBe(secret.text) else { return .unknown }
            let claims = questions.signedIn.claims(of: hash)
            return .unclear(Token(hash: hash, form: claims.map { .verified($0) } ?? .signed(secret.text)))
        }
    }

    /// - Parameter network: where the request comes from.
    /// - Returns: `nil` for a token that is not valid.
    /// - Throws: `PGError`, when the database cannot be asked; `poolOverloaded` where too many wait already;
    ///   `KeysUnavailable`.
    func lookUp(_ token: Token, from network: String) async throws -> TokenBearer? {
        try await find(token, from: network).map { TokenBearer(hash: token.hash, found: $0) }
    }

    private func find(_ token: Token, from network: String) async throws -> TokenMemory.Valid? {
        switch token.form {
        case .own(let wasValid):
            return try await (wasValid ? known : strangers).lookUp(AskedToken(hash: token.hash), from: network)
        case .verified(let claims):
            return try await known.lookUp(AskedToken(hash: token.hash, claims: .verified(claims)), from: network)
        case .signed(let text): return try await find(signed: text, token.hash, from: network)
        }
    }

    /// Looks at a provider's token; once more where the providers are others since.
    private func find(
        signed text: String, _ hash: [UInt8], from network: String
    ) async throws -> TokenMemory.Valid? {
        while true {
            let generation = questions.signedIn.generation
            guard let providers else { return nil }
            do {
                let claimed = try await providers.claimed(text, at: time())
                let asked = AskedToken(hash: hash, claims: .unverified(claimed, generation: generation))
                let found = try await signedStrangers.lookUp(asked, from: network)
                if found != nil || questions.signedIn.generation == generation { return found }
            } catch is TokenFault {
                questions.memory.keep([:], of: [hash], asked: .now)
                return nil
            }
        }
    }

    /// The bearer of a token that was valid, with what it allows now by the database.
    ///
    /// - Throws: `Problem.unauthenticated` where it lets nobody in any more; `PGError`.
    func renewed(_ bearer: TokenBearer) async throws -> TokenBearer {
        guard let found = try await questions.remembered([AskedToken(hash: bearer.hash)])[bearer.hash] else {
            throw Problem.unauthenticated
        }
        return TokenBearer(hash: bearer.hash, found: found)
    }

    /// The bearer as it may be believed now: looked up again where the last time is too long ago, because its body
    /// came slowly or it had to wait.
    ///
    /// - Throws: as `renewed`.
    func current(_ bearer: TokenBearer) async throws -> TokenBearer {
        bearer.found.isCurrent() ? bearer : try await renewed(bearer)
    }

    /// Has a token looked up again by the next request with it, because what it allows has changed by this one.
    func outdate(_ hash: [UInt8]) { questions.memory.outdate(hash) }

    /// What the tokens with these hashes allow now; those that are not valid any more are not among them.
    ///
    /// - Throws: `PGError`.
    func grants(ofHashes hashes: some Sequence<[UInt8]>) async throws -> [[UInt8]: Grant] {
        try await questions.valid(hashes.map { AskedToken(hash: $0) }).mapValues(\.grant)
    }

    /// Writes down which tokens are in use.
    ///
    /// - Returns: of how many it was written.
    /// - Throws: `PGError`.
    func noteUses() async throws -> Int64 {
        try await questions.noteUses()
    }

    private func bearer(_ header: String) -> Secret? {
        Authenticator.bearer(
            header, sizeMax: providers == nil ? Authenticator.secretSizeMaxBytes : IdentityProviders.tokenSizeMaxBytes)
    }

    /// The header's bearer token, whatever its form; `nil` for none.
    ///
    /// - Parameter sizeMax: the most bytes of a token.
    static func bearer(_ header: String, sizeMax: Int = secretSizeMaxBytes) -> Secret? {
        let text = header.utf8Span.span
        let scheme = text.word(from: 0)
        let token = text.word(from: scheme.upperBound)
        guard scheme.count == 6, zip(scheme, "bearer".utf8).allSatisfy({ text[$0] | 0x20 == $1 }),
            (1...sizeMax).contains(token.count), text.word(from: token.upperBound).isEmpty,
            let secret = try? UTF8Span(validating: text.extracting(token))
        else { return nil }
        return Secret(presented: String(copying: secret))
    }
}

extension Span<UInt8> {
    /// The next bytes from `start` that are no spaces; empty where there are none.
    fileprivate func word(from start: Int) -> Range<Int> {
        let space = UInt8(ascii: " ")
        var first = start
        while first < count, self[first] == space { first += 1 }
        var end = first
        while end < count, self[end] != space { end += 1 }
        return first..<end
    }
}
