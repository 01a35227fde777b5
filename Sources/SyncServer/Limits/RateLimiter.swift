import HTTPServer
import Synchronization

/// Keeps to the server's rates, and says to whom is too fast when to come back.
package final class RateLimiter: Sendable {
    package let limits: RateLimits
    private let meters: [RateLimits.Kind: RateMeter]
    private let clock: @Sendable () -> Int64
    private let refused: Mutex<[RateLimits.Kind: Int]>

    /// - Parameter clock: nanoseconds that do not go back; the machine's, where it is not given.
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

    /// Other rates from now on: the meters of those that stay go on.
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

    /// How many requests were refused, by the name of the rate.
    package var refusals: [String: Int] {
        refused.withLock { Dictionary(uniqueKeysWithValues: $0.map { ($0.key.rawValue, $0.value) }) }
    }

    /// - Throws: 429, where that is more than there may be.
    func take(_ kind: RateLimits.Kind, of name: some Hashable, cost: Int = 1) throws(Problem) {
        guard cost > 0, let meter = meters[kind] else { return }
        let standing = meter.take(cost, for: name.hashValue, now: clock())
        if standing.isGranted { return }
        refused.withLock { $0[kind, default: 0] += 1 }
        throw .rateLimited(kind, meter.limit, standing)
    }
}

extension Problem {
    /// With the fields of draft-ietf-httpapi-ratelimit-headers (11): what the policy is, and what is left of it.
    fileprivate static func rateLimited(
        _ kind: RateLimits.Kind, _ limit: RateLimit, _ standing: RateMeter.Standing
    ) -> Problem {
        let seconds = max(1, (standing.wait + 999_999_999) / 1_000_000_000)
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
            status: 429, code: "rate-limited", title: "That is too much at once",
            detail:
                "\(limit.perSecond) \(what) may come a second, and \(limit.burst) at once. Nothing was stored. Send it "
                + "again after \(seconds) s.",
            extensions: [("limit", "\"\(kind.rawValue)\"")],
            headers: [
                "Retry-After": "\(seconds)",
                "RateLimit-Policy": "\"\(kind.rawValue)\";q=\(limit.burst);w=\(window)",
                "RateLimit": "\"\(kind.rawValue)\";r=\(standing.remaining);t=\(seconds)",
            ])
    }
}
