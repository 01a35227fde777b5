import OpenID
import Postgres
import SyncEngine
import WireFormats

/// A token to be looked up.
struct AskedToken: Sendable {
    let hash: [UInt8]
    /// The claims of an identity provider's token. `nil` for a token that the server itself issued, because its rights
    /// are in the database. Also `nil` if the claims must be read from the cache, `SignedInMemory`.
    var claims: Claims?

    /// The claims of a provider's token.
    enum Claims: Sendable {
        case verified(SignedIn)
        /// Claims whose signature is not verified yet. `generation` is the generation of the cache `SignedInMemory` at
        /// the time when the claims were read. If the cache was emptied since, the claims are not used, because their
        /// provider may have been removed.
        case unverified(IdentityProviders.Claimed, generation: Int)
    }
}

/// Finds the rights of tokens: in the database, and for tokens of identity providers also in the tokens' claims.
struct TokenQuestions: Sendable {
    private let pool: Pool
    private let apps: [String]
    let memory = TokenMemory()
    let signedIn = SignedInMemory()
    private let uses = TokenUses()
    /// The time that decides if providers' tokens have expired.
    private let time: @Sendable () -> Timestamp

    init(pool: Pool, apps: [String], time: @escaping @Sendable () -> Timestamp) {
        self.pool = pool
        self.apps = apps
        self.time = time
    }

    /// Returns the valid tokens among `asked`, by hash, and remembers for some seconds which were valid and which were
    /// not.
    ///
    /// - Throws: `PGError`.
    func remembered(_ asked: [AskedToken]) async throws -> [[UInt8]: TokenMemory.Valid] {
        let began = ContinuousClock.now
        let valid = try await valid(asked)
        memory.keep(valid, of: asked.map(\.hash), asked: began)
        return valid
    }

    /// Writes to the database which tokens are in use.
    ///
    /// - Returns: the number of tokens written.
    /// - Throws: `PGError`.
    func noteUses() async throws -> Int64 {
        let hashes = uses.take()
        if hashes.isEmpty { return 0 }
        return try await pool.withSession { session in try await TokenStore.noteUses(of: hashes, session) }
    }

    /// Returns those of the tokens `asked` that are valid, by hash. All are looked up in one database session. The
    /// database is not asked if all are identity providers' tokens and their signatures or expiry times show that none
    /// is valid.
    ///
    /// - Throws: `PGError`.
    func valid(_ asked: [AskedToken]) async throws -> [[UInt8]: TokenMemory.Valid] {
        let now = ContinuousClock.now
        let time = time()
        var claims: [[UInt8]: SignedIn] = [:]
        for token in asked {
            guard let verified = verified(token), time < verified.ends else { continue }
            claims[token.hash] = verified
        }
        let own = asked.filter { $0.claims == nil && claims[$0.hash] == nil }.map(\.hash)
        if own.isEmpty, claims.isEmpty { return [:] }
        let subjects = Set(claims.values.map(\.subject))
        let (found, joined) = try await pool.withSession { session in
            (try await TokenStore.find(own, session), try await TokenStore.joined(subjects, apps, session))
        }
        uses.note(found.lazy.filter(\.value.isUseDue).map(\.key))
        // The end is computed from the remaining time at the question, so it is never later than in the database.
        var valid = found.mapValues { TokenMemory.Valid(grant: $0.grant, since: now, until: now + $0.endsIn) }
        for (hash, claims) in claims {
            valid[hash] = TokenMemory.Valid(
                grant: Grant(claims, joined[claims.subject]), since: now, until: now + claims.ends.since(time))
        }
        return valid
    }

    /// Returns the claims of an identity provider's token whose signature is valid. Returns `nil` if the signature is
    /// not valid, if the accepted providers have changed since the claims were read, or if the server itself issued the
    /// token.
    private func verified(_ token: AskedToken) -> SignedIn? {
        switch token.claims {
        case .verified(let claims): return claims
        case .unverified(let claimed, let generation):
            // The provider may have been removed while the token waited.
            guard let claims = try? claimed.verified(), signedIn.keep(claims, of: token.hash, since: generation)
            else { return nil }
            return claims
        case nil: return signedIn.claims(of: token.hash)
        }
    }
}

extension Grant {
    fileprivate init(_ claims: SignedIn, _ joined: TokenStore.Joined?) {
        self.init(
            app: claims.app, subject: claims.subject, role: claims.mayWrite ? .write : .read, spaces: claims.spaces,
            memberships: joined?.memberships ?? [:], personal: joined?.personal ?? [:], issued: claims.issued,
            ended: Set(joined?.erased.filter { $0.value >= claims.issued }.map(\.key) ?? []))
    }
}
