package import PGStore
import Synchronization
import WireFormats

/// Finds out who sends a request. Remembers grants for a moment, so that a busy device does not cost a query each time.
package final class Authenticator: Sendable {
    private let pool: Pool
    private let remembered = Mutex<[[UInt8]: (grant: Grant, until: ContinuousClock.Instant)]>([:])

    /// How long a revoked token may still be accepted.
    static let rememberedFor = Duration.seconds(5)
    /// How many grants are remembered; beyond that all are forgotten, which costs one query each.
    static let rememberedMax = 20_000
    /// No secret of ours is longer; hashing more would be work for an attacker's benefit.
    static let secretSizeMaxBytes = 256

    package init(pool: Pool) {
        self.pool = pool
    }

    /// The grant of the `Authorization` header's bearer token (RFC 6750); `nil` for none, or one that is not known.
    ///
    /// - Throws: `PGError`, when the database cannot be asked.
    package func grant(authorization: String?) async throws -> Grant? {
        guard let text = authorization, let secret = Authenticator.bearer(text) else { return nil }
        let hash = secret.hash
        let now = ContinuousClock.now
        let known = remembered.withLock { known in known[hash].flatMap { $0.until > now ? $0.grant : nil } }
        if let known { return known }
        let found = try await pool.withSession { session in try await TokenStore.find(hash, session) }
        guard let (stored, grant) = found, Secret.areEqual(stored, hash) else { return nil }
        remembered.withLock { known in
            if known.count >= Authenticator.rememberedMax { known.removeAll() }
            known[hash] = (grant, now + Authenticator.rememberedFor)
        }
        return grant
    }

    /// The hash of the header's bearer token, valid or not; `nil` for none.
    static func hash(authorization: String?) -> [UInt8]? {
        authorization.flatMap(bearer)?.hash
    }

    /// What the tokens with these hashes allow now; those that are not valid any more are not among them.
    ///
    /// - Throws: `PGError`.
    func grants(ofHashes hashes: some Sequence<[UInt8]>) async throws -> [[UInt8]: Grant] {
        let hashes = Array(hashes)
        return try await pool.withSession { session in try await TokenStore.find(hashes, session) }
    }

    private static func bearer(_ header: String) -> Secret? {
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
