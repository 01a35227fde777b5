import OpenID
import Postgres
import WireFormats

/// A token that is to be looked up.
struct AskedToken: Sendable {
    let hash: [UInt8]
    /// `nil` for one of our own, of which the database says everything.
    var claims: Claims?

    /// What a provider's token says.
    enum Claims: Sendable {
        case verified(SignedIn)
        /// In a generation of `SignedInMemory`.
        case unverified(IdentityProviders.Claimed, generation: Int)
    }
}

/// What tokens allow, by the database and, for those of identity providers, by what they say.
struct TokenQuestions: Sendable {
    private let pool: Pool
    private let apps: [String]
    let memory = TokenMemory()
    let signedIn = SignedInMemory()
    private let uses = TokenUses()
    /// The time that providers' tokens end by.
    private let time: @Sendable () -> Timestamp

    init(pool: Pool, apps: [String], time: @escaping @Sendable () -> Timestamp) {
        self.pool = pool
        self.apps = apps
        self.time = time
    }

    /// Those of the tokens that are valid, by their hashes; remembered for a moment.
    ///
    /// - Throws: `PGError`.
    func remembered(_ asked: [AskedToken]) async throws -> [[UInt8]: TokenMemory.Valid] {
        let began = ContinuousClock.now
        let valid = try await valid(asked)
        memory.keep(valid, of: asked.map(\.hash), asked: began)
        return valid
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

    /// Those of the tokens that are valid: one session's work for all. Where no signature is right and no token could
    /// be ours, the database is not asked.
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
        // By what is left when it is asked, never later than the database has it.
        var valid = found.mapValues { TokenMemory.Valid(grant: $0.grant, since: now, until: now + $0.endsIn) }
        for (hash, claims) in claims {
            valid[hash] = TokenMemory.Valid(
                grant: Grant(claims, joined[claims.subject]), since: now, until: now + claims.ends.since(time))
        }
        return valid
    }

    /// What a provider's token says, once its signature was found right; `nil` for one of our own.
    private func verified(_ token: AskedToken) -> SignedIn? {
        switch token.claims {
        case .verified(let claims): return claims
        case .unverified(let claimed, let generation):
            // Its provider may have been taken out while it waited.
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
