import SyncEngine

/// A rate limit: a sustained rate and a burst.
package struct RateLimit: Sendable, Hashable {
    /// The sustained rate: the number of requests or changes per second.
    package var perSecond: Int
    /// The number of requests or changes that are allowed at once, after a time without any.
    package var burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The rate limits of a server, each counted separately.
package struct RateLimits: Sendable, Hashable {
    private var limits: [Kind: RateLimit]

    /// The kinds of rate limits, by what they count.
    package enum Kind: String, CaseIterable, Sendable {
        /// Requests from one network that have no token, or a token that was never found to be valid.
        case address
        /// Requests with one token.
        case token
        /// Requests of one subject, the account to which tokens belong, with any of its tokens.
        case subject
        /// Requests about one space, from all callers.
        case space
        /// Changes that one subject pushes.
        case changes

        /// The default limit, far above the rate of an honest client: see docs/protocol.md.
        var standard: RateLimit {
            switch self {
            // Enough for an office whose devices all start at nine o'clock behind one address.
            case .address: RateLimit(perSecond: 50, burst: 2_000)
            // A device syncs a few times a minute, and an app in development a few times a second.
            case .token: RateLimit(perSecond: 50, burst: 1_000)
            case .subject: RateLimit(perSecond: 100, burst: 2_000)
            // Enough for a hundred members whose devices all receive the event of a change and pull.
            case .space: RateLimit(perSecond: 200, burst: 4_000)
            // Enough for the first upload of 200,000 records; then more than one subject's turns let through.
            case .changes: RateLimit(perSecond: 5_000, burst: 200_000)
            }
        }

        /// The smallest burst that an operator may configure. It is just large enough for the largest allowed request.
        package var burstMin: Int { self == .changes ? SyncEngine.changesMax : 1 }
    }

    package init() {
        limits = Dictionary(uniqueKeysWithValues: Kind.allCases.map { ($0, $0.standard) })
    }

    package subscript(kind: Kind) -> RateLimit {
        get { limits[kind] ?? kind.standard }
        set { limits[kind] = newValue }
    }
}
