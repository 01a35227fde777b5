package import OpenID
package import SyncEngine

/// The operator's settings for requests of all kinds.
package struct RequestPolicy: Sendable {
    /// The identity providers whose tokens are accepted besides the server's own; `nil` for none.
    package var providers: IdentityProviders?
    /// The limits of the stored data.
    package var quotas: Quotas
    /// The rate limits; `nil` for none.
    package var rates: RateLimiter?
    /// The proxies whose statement of a client's address is trusted.
    package var proxies: TrustedProxies
    /// The origins of web pages to which browsers may show the server's responses (CORS).
    package var origins: CrossOrigins
    /// True if each request is logged.
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
