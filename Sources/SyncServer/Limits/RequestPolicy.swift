package import OpenID
package import SyncEngine

/// What an operator decides about requests, whatever they are about.
package struct RequestPolicy: Sendable {
    /// Whose tokens let in beside the server's own; `nil` for nobody's.
    package var providers: IdentityProviders?
    /// How much there may be of what is kept.
    package var quotas: Quotas
    /// `nil` where nothing is limited by rate.
    package var rates: RateLimiter?
    /// Whose word is taken for where requests come from.
    package var proxies: TrustedProxies
    /// The pages that browsers may let read answers.
    package var origins: CrossOrigins
    /// Whether there is a line in the log for each request.
    package var logsRequests: Bool

    package init(
        providers: IdentityProviders? = nil, quotas: Quotas = Quotas(), rates: RateLimiter? = nil,
        proxies: TrustedProxies = .none,
        origins: CrossOrigins = .none,
        logsRequests: Bool = false
    ) {
        self.providers = providers
        self.quotas = quotas
        self.rates = rates
        self.proxies = proxies
        self.origins = origins
        self.logsRequests = logsRequests
    }
}
