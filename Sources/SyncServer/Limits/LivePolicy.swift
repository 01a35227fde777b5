import OpenID
import Synchronization

/// The operator's settings for requests (the policy) that are in force. They are read at each request, and can be
/// replaced while requests are served.
package final class LivePolicy: Sendable {
    private let held: Mutex<RequestPolicy>
    private let changes: AsyncStream<Void>
    private let announcing: AsyncStream<Void>.Continuation

    package init(_ policy: RequestPolicy = RequestPolicy()) {
        held = Mutex(policy)
        // A reader that missed several changes needs only one signal.
        (changes, announcing) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var current: RequestPolicy { held.withLock { $0 } }

    /// Replaces the policy in force. Rate meters and fetched provider keys are kept where the policy has not changed.
    ///
    /// - Returns: true if an identity provider was removed or changed, so that its tokens may no longer be valid.
    func adopt(_ policy: RequestPolicy) -> Bool {
        let hasLost = held.withLock { old in
            var new = policy
            if let rates = new.rates, let before = old.rates {
                new.rates = RateLimiter(rates.limits, after: before)
            }
            let known = old.providers?.issuers ?? []
            new.providers = new.providers.map { providers in
                IdentityProviders(
                    providers.issuers.map { keys in known.first { $0.issuer == keys.issuer } ?? keys })
            }
            let kept = new.providers?.issuers ?? []
            defer { old = new }
            return known.contains { keys in !kept.contains { $0 === keys } }
        }
        announcing.yield()
        return hasLost
    }

    /// Waits until the policy is replaced or the task is cancelled. For one caller at a time.
    func nextChange() async {
        for await _ in changes { return }
    }
}
