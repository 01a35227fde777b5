import OpenID
import Synchronization

/// The policy that is in force: read at each request, and changed while requests are served.
package final class LivePolicy: Sendable {
    private let held: Mutex<RequestPolicy>
    private let changes: AsyncStream<Void>
    private let announcing: AsyncStream<Void>.Continuation

    package init(_ policy: RequestPolicy = RequestPolicy()) {
        held = Mutex(policy)
        // Who comes late to several changes needs to know of one.
        (changes, announcing) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var current: RequestPolicy { held.withLock { $0 } }

    /// Puts another policy in force. What it says as the one before goes on as it is: meters of rates that stay, and
    /// the keys of providers that stay.
    ///
    /// - Returns: whether tokens of a provider that let in before no longer do, or mean something else.
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

    /// Waits for the next change, or until the task is cancelled. For one caller at a time.
    func nextChange() async {
        for await _ in changes { return }
    }
}
