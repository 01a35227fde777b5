import HTTPServer
import Synchronization
import WireFormats

/// Enforces the server's rate limits, and reports to refused clients when to try again.
package final class RateLimiter: Sendable {
    package let limits: RateLimits
    private let meters: [RateLimits.Kind: RateMeter]
    private let clock: @Sendable () -> Int64
    private let refused: Mutex<[RateLimits.Kind: Int]>

    /// Creates a limiter with unused meters.
    ///
    /// - Parameter clock: a monotonic clock, in nanoseconds; by default the machine's.
    package init(_ limits: RateLimits, clock: (@Sendable () -> Int64)? = nil) {
        self.limits = limits
        refused = Mutex([:])
        meters = Dictionary(uniqueKeysWithValues: RateLimits.Kind.allCases.map { ($0, RateMeter(limits[$0])) })
        let start = ContinuousClock.now
        self.clock =
            clock ?? {
                let (seconds, attoseconds) = (ContinuousClock.now - start).components
                return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
            }
    }

    /// Creates a limiter with other rates; the meters of unchanged rates go on.
    init(_ limits: RateLimits, after old: RateLimiter) {
        self.limits = limits
        clock = old.clock
        meters = Dictionary(
            uniqueKeysWithValues: RateLimits.Kind.allCases.map { kind in
                let kept = old.limits[kind] == limits[kind] ? old.meters[kind] : nil
                return (kind, kept ?? RateMeter(limits[kind]))
            })
        refused = Mutex(old.refused.withLock(\.self))
    }

    /// The number of refused requests, by the name of the rate limit that refused them.
    package var refusals: [String: Int] {
        refused.withLock { Dictionary(uniqueKeysWithValues: $0.map { ($0.key.rawValue, $0.value) }) }
    }

    /// Charges `cost` to the rate limit `kind` of `name`, such as a token or a space.
    ///
    /// - Throws: 429 if the rate limit is exceeded.
    func take(_ kind: RateLimits.Kind, of name: some Hashable, cost: Int = 1) throws(Problem) {
        guard cost > 0, let meter = meters[kind] else { return }
        let reply = meter.take(cost, for: name.hashValue, now: clock())
        if reply.isGranted { return }
        refused.withLock { $0[kind, default: 0] += 1 }
        throw .rateLimited(kind, meter.limit, reply)
    }
}

extension Problem {
    /// The problem 429 with the fields of draft-ietf-httpapi-ratelimit-headers (11): the policy, and the remaining
    /// allowance.
    fileprivate static func rateLimited(
        _ kind: RateLimits.Kind, _ limit: RateLimit, _ reply: RateMeter.Reply
    ) -> Problem {
        let seconds = max(1, (reply.wait + 999_999_999) / 1_000_000_000)
        let window = max(1, (limit.burst + limit.perSecond - 1) / limit.perSecond)
        let what =
            switch kind {
            case .address: "requests without a known token from one address"
            case .token: "requests with one token"
            case .subject: "requests of one subject"
            case .space: "requests about one space"
            case .changes: "changes of one subject"
            }
        return Problem(
            .rateLimited, title: "That is too much at once",
            detail:
                "\(limit.perSecond) \(what) may come a second, and \(limit.burst) at once. Nothing was stored. Send it "
                + "again after \(seconds) s.",
            extensions: [(BodyMember.limit, "\"\(kind.rawValue)\"")],
            headers: [
                HeaderName.retryAfter: "\(seconds)",
                HeaderName.rateLimitPolicy: "\"\(kind.rawValue)\";q=\(limit.burst);w=\(window)",
                HeaderName.rateLimit: "\"\(kind.rawValue)\";r=\(reply.remaining);t=\(seconds)",
            ])
    }
}
