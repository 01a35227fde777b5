package import PGStore
import WireFormats

/// Finds out who sends a request. What is known of a token, valid or not, is remembered for a moment, so that neither a
/// busy device nor who tries the same token again and again costs a query each time.
///
/// Look-ups wait in two lines, with a session each: tokens that were valid before, and *strangers*, of which nothing is
/// known. So however many strangers come with tokens of their own making, who was here before does not wait for them.
package final class Authenticator: Sendable {
    private let pool: Pool
    private let memory: TokenMemory
    private let uses: TokenUses
    private let question: TokenLine.Question
    private let known: TokenLine
    private let strangers: TokenLine

    /// No secret of ours is longer; hashing more would be work for an attacker's benefit.
    static let secretSizeMaxBytes = 256
    /// The most strangers from one network among those that wait: a quarter, which leaves room to the others.
    static let strangersPerNetworkMax = TokenLine.waitingMax / 4
    /// The rest after each question about strangers. So these are fifty a second at most, a few hundredths of a core.
    static let strangersRest = Duration.milliseconds(20)

    /// Who sends a request.
    enum Identity {
        case known(Grant, hash: [UInt8])
        /// No token, none of ours, or one that is not valid.
        case unknown
        /// It must be looked up.
        case unclear(Token)
    }

    /// The hash of a token whose form is right.
    struct Token {
        let hash: [UInt8]
        fileprivate let wasValid: Bool

        /// Whether nobody knows yet that it was ever valid.
        var isStrange: Bool { !wasValid }
    }

    /// What it is doing, and did since the start.
    package struct Counts: Sendable, Equatable {
        /// Requests that wait for a look-up.
        package var waiting = 0
        /// Look-ups so far: each a query, about as many tokens as waited.
        package var questions = 0
    }

    package init(pool: Pool) {
        let memory = TokenMemory()
        let uses = TokenUses()
        let question: TokenLine.Question = { hashes in
            let asked = ContinuousClock.now
            let found = try await pool.withSession { session in try await TokenStore.find(hashes, session) }
            uses.note(found.lazy.filter(\.value.isUseDue).map(\.key))
            // By what is left when it is asked, never later than the database has it.
            let valid = found.mapValues {
                TokenMemory.Valid(grant: $0.grant, since: asked, until: asked + $0.endsIn)
            }
            memory.keep(valid, of: hashes, asked: asked)
            return found.mapValues(\.grant)
        }
        self.pool = pool
        self.memory = memory
        self.uses = uses
        self.question = question
        known = TokenLine(question: question)
        strangers = TokenLine(
            waitingPerNetworkMax: Authenticator.strangersPerNetworkMax, rest: Authenticator.strangersRest,
            question: question)
    }

    package var counts: Counts {
        let (known, strangers) = (known.counts, strangers.counts)
        return Counts(waiting: known.waiting + strangers.waiting, questions: known.questions + strangers.questions)
    }

    /// Who sends a request with this `Authorization` header, as far as that is known without asking (RFC 6750).
    func identity(authorization: String?, now: ContinuousClock.Instant = .now) -> Identity {
        guard let secret = authorization.flatMap(Authenticator.bearer), secret.isWellFormed(as: .token) else {
            return .unknown
        }
        let hash = secret.hash
        switch memory.knowledge(of: hash, at: now) {
        case .valid(let grant, let needsRefresh):
            if needsRefresh { known.refresh(hash) }
            return .known(grant, hash: hash)
        case .invalid: return .unknown
        case .nothing(let wasValid): return .unclear(Token(hash: hash, wasValid: wasValid))
        }
    }

    /// - Parameter network: where the request comes from.
    /// - Returns: `nil` for a token that is not valid.
    /// - Throws: `PGError`, when the database cannot be asked; `poolOverloaded` where too many wait already.
    func lookUp(_ token: Token, from network: String) async throws -> Grant? {
        try await (token.wasValid ? known : strangers).lookUp(token.hash, from: network)
    }

    /// What a token that was valid allows now.
    ///
    /// - Throws: `PGError`.
    func renew(_ hash: [UInt8]) async throws -> Grant? {
        try await question([hash])[hash]
    }

    /// Has a token looked up again by the next request with it, because what it allows has changed by this one.
    func outdate(_ hash: [UInt8]) { memory.outdate(hash) }

    /// What the tokens with these hashes allow now; those that are not valid any more are not among them.
    ///
    /// - Throws: `PGError`.
    func grants(ofHashes hashes: some Sequence<[UInt8]>) async throws -> [[UInt8]: Grant] {
        let hashes = Array(hashes)
        let found = try await pool.withSession { session in try await TokenStore.find(hashes, session) }
        uses.note(found.lazy.filter(\.value.isUseDue).map(\.key))
        return found.mapValues(\.grant)
    }

    /// Writes down which tokens are in use.
    ///
    /// - Returns: of how many it was written.
    /// - Throws: `PGError`.
    func noteUses() async throws -> Int64 {
        let hashes = uses.take()
        if hashes.isEmpty { return 0 }
        return try await pool.withSession { session in try await TokenStore.noteUses(of: hashes, session) }
    }

    /// The header's bearer token, whatever its form; `nil` for none.
    static func bearer(_ header: String) -> Secret? {
        let text = header.utf8Span.span
        let scheme = text.word(from: 0)
        let token = text.word(from: scheme.upperBound)
        guard scheme.count == 6, zip(scheme, "bearer".utf8).allSatisfy({ text[$0] | 0x20 == $1 }),
            (1...secretSizeMaxBytes).contains(token.count), text.word(from: token.upperBound).isEmpty,
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
