import SyncEngine

/// How much of something there may be in a time.
package struct RateLimit: Sendable, Hashable {
    /// What may come each second for as long as it likes.
    package var perSecond: Int
    /// What may come at once, after a while of nothing.
    package var burst: Int

    package init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The rates that a server allows, each counted for itself.
package struct RateLimits: Sendable, Hashable {
    private var limits: [Kind: RateLimit]

    /// What is counted.
    package enum Kind: String, CaseIterable, Sendable {
        /// Requests from one address of which nobody knows the sender: without a token, or with one that was never seen
        /// to be valid.
        case address
        /// Requests with one token.
        case token
        /// Requests of one subject, whatever its tokens.
        case subject
        /// Requests about one space, whoever sends them.
        case space
        /// Changes that one subject pushes.
        case changes

        /// What an honest client stays below by far: see docs/protocol.md.
        var standard: RateLimit {
            switch self {
            // An office whose devices all begin at nine o'clock behind one address.
            case .address: RateLimit(perSecond: 50, burst: 2_000)
            // A device syncs a few times a minute, and an app that is being written a few times a second.
            case .token: RateLimit(perSecond: 50, burst: 1_000)
            case .subject: RateLimit(perSecond: 100, burst: 2_000)
            // A hundred members whose devices all hear of a change and pull.
            case .space: RateLimit(perSecond: 200, burst: 4_000)
            // The first upload of 200,000 records; then more than one subject's turns let through.
            case .changes: RateLimit(perSecond: 5_000, burst: 200_000)
            }
        }

        /// The least burst: the largest request must pass.
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
