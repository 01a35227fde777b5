import HTTPServer
import OpenID
package import Postgres
import SyncEngine
package import WireFormats

/// Authenticates the sender of a request. The result of a token's look-up, valid or not, is reused for a few seconds,
/// so that neither a busy device nor a client that retries one invalid token costs a query for each request.
///
/// Look-ups wait in queues, with a database session each: one for tokens that were valid before, and two for *new*
/// tokens, of which nothing is known: tokens in the server's own form, and tokens that claim to be of an identity
/// provider. So a device that was here before does not wait, however many clients come with invented tokens.
package final class Authenticator: Sendable {
    private let policy: LivePolicy
    private let questions: TokenQuestions
    private let time: @Sendable () -> Timestamp
    private let known: TokenLine
    private let new: TokenLine
    private let newSigned: TokenLine

    /// The maximum size of a secret that the server itself has issued, in bytes. A longer one is not hashed, so that an
    /// attacker cannot cause much work.
    static let secretSizeMaxBytes = 256
    /// The maximum number of waiting requests with new tokens from one network: a quarter of all, which leaves room for
    /// other networks.
    static let newTokensPerNetworkMax = TokenLine.waitingMax / 4
    /// The pause after each query about new tokens. So there are at most fifty such queries a second, a few hundredths
    /// of a core.
    static let newTokensRest = Duration.milliseconds(20)
    /// The maximum number of signatures that one look-up checks. Each takes a processor 30 to 140 µs, so together they
    /// take some 5 ms.
    static let signaturesMax = 50
    /// The pause after a look-up, for each signature that it checks: three times as long as the slowest check takes. So
    /// the checks use at most a quarter of a core, whatever tokens clients send. In each second, some 2,000 devices can
    /// come with a new token (measured on 27 November 2026: docs/security.md).
    static let signatureRest = Duration.microseconds(400)

    /// The sender of a request, as far as known without a look-up.
    enum Identity {
        case known(TokenBearer)
        /// There is no token, the token has no accepted form, or it is known to be invalid.
        case unknown
        /// The token must be looked up.
        case unclear(Token)
    }

    /// A token of an accepted form that must be looked up.
    struct Token {
        let hash: [UInt8]
        fileprivate let form: Form

        fileprivate enum Form {
            case own(wasValid: Bool)
            /// An identity provider's token whose signature was found valid.
            case verified(SignedIn)
            /// A token that claims to be an identity provider's.
            case signed(String)
        }

        /// True if the token is not known to have ever been valid.
        var isNew: Bool {
            switch form {
            case .own(let wasValid): !wasValid
            case .verified: false
            case .signed: true
            }
        }
    }

    /// Statistics of the token look-ups: the number of requests that wait now, and the number of look-ups since the
    /// start.
    package struct Counts: Sendable, Equatable {
        /// The number of requests that wait for a look-up.
        package var waiting = 0
        /// The number of look-ups so far. Each look-up is one query about all tokens that waited.
        package var questions = 0
    }

    /// Creates an authenticator that looks tokens up in the database of `pool`.
    ///
    /// - Parameters:
    ///   - apps: the served apps. A subject may have erased its account in some of them. Tokens issued before the
    ///     erasure are then invalid there.
    ///   - policy: the identity providers whose tokens are accepted besides the server's own.
    ///   - time: returns the current time, which decides if providers' tokens have expired.
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
        new = TokenLine(
            waitingPerNetworkMax: Authenticator.newTokensPerNetworkMax, rest: Authenticator.newTokensRest,
            question: question)
        newSigned = TokenLine(
            waitingPerNetworkMax: Authenticator.newTokensPerNetworkMax, askedMax: Authenticator.signaturesMax,
            restForEach: Authenticator.signatureRest, question: question)
    }

    private var providers: IdentityProviders? { policy.current.providers }

    /// Forgets the verified claims of all providers' tokens, because a provider was removed or changed.
    func forgetSignedIn() { questions.signedIn.forget() }

    package var counts: Counts {
        let lines = [known, new, newSigned].map(\.counts)
        return Counts(waiting: lines.map(\.waiting).reduce(0, +), questions: lines.map(\.questions).reduce(0, +))
    }

    /// Returns the sender of a request with this `Authorization` header, as far as known without a look-up (RFC 6750).
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
            // The form is checked only now, because a remembered token has passed the check before.
            guard IdentityProviders.mayBe(secret.text) else { return .unknown }
            let claims = questions.signedIn.claims(of: hash)
            return .unclear(Token(hash: hash, form: claims.map { .verified($0) } ?? .signed(secret.text)))
        }
    }

    /// Looks a token up in the database.
    ///
    /// - Parameter network: the network that the request comes from.
    /// - Returns: the token's bearer; `nil` for a token that is not valid.
    /// - Throws: `PGError` if the database cannot be asked; `poolOverloaded` if too many requests wait already;
    ///   `KeysUnavailable`.
    func lookUp(_ token: Token, from network: String) async throws -> TokenBearer? {
        try await find(token, from: network).map { TokenBearer(hash: token.hash, found: $0) }
    }

    private func find(_ token: Token, from network: String) async throws -> TokenMemory.Valid? {
        switch token.form {
        case .own(let wasValid):
            return try await (wasValid ? known : new).lookUp(AskedToken(hash: token.hash), from: network)
        case .verified(let claims):
            return try await known.lookUp(AskedToken(hash: token.hash, claims: .verified(claims)), from: network)
        case .signed(let text): return try await find(signed: text, token.hash, from: network)
        }
    }

    /// Looks up a token of an identity provider. If the token is not valid and the accepted providers have changed
    /// meanwhile, looks it up again.
    private func find(
        signed text: String, _ hash: [UInt8], from network: String
    ) async throws -> TokenMemory.Valid? {
        while true {
            let generation = questions.signedIn.generation
            guard let providers else { return nil }
            do {
                let claimed = try await providers.claimed(text, at: time())
                let asked = AskedToken(hash: hash, claims: .unverified(claimed, generation: generation))
                let found = try await newSigned.lookUp(asked, from: network)
                if found != nil || questions.signedIn.generation == generation { return found }
            } catch is TokenFault {
                questions.memory.keep([:], of: [hash], asked: .now)
                return nil
            }
        }
    }

    /// Returns the bearer of a token that was valid, with the rights that the database gives the token now.
    ///
    /// - Throws: `Problem.unauthenticated` if the token is no longer valid; `PGError`.
    func renewed(_ bearer: TokenBearer) async throws -> TokenBearer {
        guard let found = try await questions.remembered([AskedToken(hash: bearer.hash)])[bearer.hash] else {
            throw Problem.unauthenticated
        }
        return TokenBearer(hash: bearer.hash, found: found)
    }

    /// Returns the bearer with recent rights. The token is looked up again if its last look-up is too long ago, for
    /// example because the request's body arrived slowly.
    ///
    /// - Throws: the same errors as `renewed`.
    func current(_ bearer: TokenBearer) async throws -> TokenBearer {
        bearer.found.isCurrent() ? bearer : try await renewed(bearer)
    }

    /// Forces the next request with the token to look it up again, because this request has changed the token's rights.
    func outdate(_ hash: [UInt8]) { questions.memory.outdate(hash) }

    /// Returns the grants of those tokens that are still valid, by the tokens' hashes.
    ///
    /// - Throws: `PGError`.
    func grants(ofHashes hashes: some Sequence<[UInt8]>) async throws -> [[UInt8]: Grant] {
        try await questions.valid(hashes.map { AskedToken(hash: $0) }).mapValues(\.grant)
    }

    /// Writes to the database which tokens are in use.
    ///
    /// - Returns: the number of tokens written.
    /// - Throws: `PGError`.
    func noteUses() async throws -> Int64 {
        try await questions.noteUses()
    }

    private func bearer(_ header: String) -> Secret? {
        Authenticator.bearer(
            header, sizeMax: providers == nil ? Authenticator.secretSizeMaxBytes : IdentityProviders.tokenSizeMaxBytes)
    }

    /// Returns the header's bearer token, whatever its form; `nil` for none.
    ///
    /// - Parameter sizeMax: the maximum size of a token, in bytes.
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
    /// Returns the range of the next word from `start`, up to the next space; empty if there is none.
    fileprivate func word(from start: Int) -> Range<Int> {
        let space = UInt8(ascii: " ")
        var first = start
        while first < count, self[first] == space { first += 1 }
        var end = first
        while end < count, self[end] != space { end += 1 }
        return first..<end
    }
}
