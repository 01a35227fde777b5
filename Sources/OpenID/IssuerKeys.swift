import Dispatch
import StrictJSON
import Synchronization

/// The keys of one issuer. They are fetched periodically, and again if a token names an unknown key. While the provider
/// cannot be reached, the last keys stay in use.
package final class IssuerKeys: Sendable {
    package let issuer: Issuer
    private let pace: Pace
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// The intervals between requests to a provider for its keys.
    package struct Pace: Sendable {
        /// The age at which the keys are fetched again. A key that the provider has withdrawn is accepted at most this
        /// long, unless the provider cannot be reached.
        package var refreshedAfter = Duration.seconds(900)
        /// The shortest time between two fetches of the keys for tokens that name an unknown key. Clients that send
        /// invented tokens can therefore cause at most one request a minute to the provider.
        package var unknownKeyPause = Duration.seconds(60)
        /// The shortest time from one fetch to the next while the issuer has no keys and tokens ask for them. A
        /// periodic fetch that has failed is repeated after at most six times this duration.
        package var retriedAfter = Duration.seconds(5)

        package init() {}
    }

    /// The state of the issuer's keys, for operators.
    package struct Status: Sendable, Equatable {
        /// The number of usable keys.
        package var keys = 0
        /// The time since the keys were fetched; `nil` if they have never been fetched.
        package var age: Duration?
        package var fetches = 0
        package var failures = 0
        /// The error of the last fetch that has ended; `nil` if that fetch succeeded, or if no fetch has ended yet.
        package var failure: String?
    }

    /// The maximum number of requests that may wait for a fetch. Further requests are refused, and their clients may
    /// retry.
    static let waitingMax = 1_000

    private struct State {
        var keys: KeySet?
        /// The time when the fetch that returned the present keys ended; `nil` if there are no keys.
        var fetched: ContinuousClock.Instant?
        /// The time when the last fetch began.
        var asked: ContinuousClock.Instant?
        var isFetching = false
        var waiters: [CheckedContinuation<Result<Void, KeysUnavailable>, Never>] = []
        var fetches = 0
        var failures = 0
        var failure: KeysUnavailable?

        /// Returns the error for a request that needs newer keys, but may not wait for a fetch of the keys. Returns
        /// `nil` if the request may wait.
        func refusal(_ now: ContinuousClock.Instant, _ pace: Pace) -> KeysUnavailable? {
            if waiters.count >= IssuerKeys.waitingMax { return KeysUnavailable("too many wait for them") }
            if isFetching { return nil }
            let pause = keys == nil ? pace.retriedAfter : pace.unknownKeyPause
            guard let asked, now - asked < pause else { return nil }
            return KeysUnavailable(
                failure?.description ?? "they were fetched a moment ago", retryAfter: pause - (now - asked))
        }

        /// Marks a fetch as begun unless one is running.
        ///
        /// - Returns: true if the caller must fetch the keys; false if a fetch is running already.
        mutating func begin(_ now: ContinuousClock.Instant) -> Bool {
            if isFetching { return false }
            isFetching = true
            asked = now
            fetches += 1
            return true
        }
    }

    package init(_ issuer: Issuer, pace: Pace = Pace()) {
        self.issuer = issuer
        self.pace = pace
        queue = DispatchQueue(label: "keys of an issuer")
    }

    package func status(at now: ContinuousClock.Instant = .now) -> Status {
        state.withLock { state in
            Status(
                keys: state.keys?.keys.count ?? 0, age: state.fetched.map { now - $0 }, fetches: state.fetches,
                failures: state.failures, failure: state.failure?.description)
        }
    }

    /// The keys of the last successful fetch; empty if there was none.
    package var keys: [PublicKey] { state.withLock { $0.keys?.keys ?? [] } }

    /// Returns the key that a token names as its signing key. If the key is unknown, fetches the issuer's keys first,
    /// because the key may be new.
    ///
    /// - Returns: `nil` if the issuer has no such key for the algorithm.
    /// - Throws: `KeysUnavailable` if the key is unknown and the keys cannot be fetched now.
    func key(
        id: ExactText?, for algorithm: SigningAlgorithm, now: ContinuousClock.Instant = .now
    ) async throws(KeysUnavailable) -> PublicKey? {
        if let key = known(id, algorithm) { return key }
        // The known key with this id is for another algorithm, and a fetch would not change that.
        if keys.contains(where: { id == nil || $0.id == id }) { return nil }
        try await waitForNews(now)
        if let key = known(id, algorithm) { return key }
        if let failure = state.withLock(\.failure) { throw failure }
        return nil
    }

    private func known(_ id: ExactText?, _ algorithm: SigningAlgorithm) -> PublicKey? {
        state.withLock { $0.keys?.key(id: id, for: algorithm) }
    }

    /// Waits for the end of the running fetch. If none is running, begins one and waits for its end.
    ///
    /// - Throws: `KeysUnavailable` if it is too early for another fetch, or too many requests wait for one.
    private func waitForNews(_ now: ContinuousClock.Instant) async throws(KeysUnavailable) {
        let result: Result<Void, KeysUnavailable> = await withCheckedContinuation { waiter in
            let (refusal, mustFetch) = state.withLock { state -> (KeysUnavailable?, Bool) in
                if let refusal = state.refusal(now, pace) { return (refusal, false) }
                state.waiters.append(waiter)
                return (nil, state.begin(now))
            }
            if let refusal { waiter.resume(returning: .failure(refusal)) }
            if mustFetch { Task { await self.fetch() } }
        }
        try result.get()
    }

    /// Fetches the keys now. Does nothing if a fetch is running already.
    ///
    /// - Returns: the error of the last fetch that has ended; `nil` if it succeeded.
    @discardableResult
    package func refresh(now: ContinuousClock.Instant = .now) async -> KeysUnavailable? {
        if state.withLock({ $0.begin(now) }) { await fetch() }
        return state.withLock(\.failure)
    }

    /// Fetches the keys periodically until the task is cancelled.
    ///
    /// - Parameter report: called with the error when a fetch fails after a success, and with `nil` when one succeeds
    ///   after a failure.
    package func keepFresh(report: (KeysUnavailable?) -> Void) async {
        var hasFailed = false
        while !Task.isCancelled {
            let failure = await refresh()
            if (failure != nil) != hasFailed { report(failure) }
            hasFailed = failure != nil
            let wait = hasFailed ? pace.retriedAfter * 6 : pace.refreshedAfter
            try? await Task.sleep(for: wait * Double.random(in: 0.8...1))
        }
    }

    private func fetch() async {
        let result: Result<KeySet, KeysUnavailable>
        do throws(KeysUnavailable) { result = .success(try await fetched()) } catch { result = .failure(error) }
        let waiters = state.withLock { state in
            switch result {
            case .success(let keys):
                state.keys = keys
                state.fetched = .now
                state.failure = nil
            case .failure(let failure):
                state.failures += 1
                state.failure = failure
            }
            state.isFetching = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: .success(())) }
    }

    private func fetched() async throws(KeysUnavailable) -> KeySet {
        let address = if let stated = issuer.keysAddress { stated } else { try await discovered() }
        return try KeySet(try await content(of: address))
    }

    private func content(of address: String) async throws(KeysUnavailable) -> [UInt8] {
        try await Download.content(of: address, allowsPrivate: issuer.allowsPrivateAddresses, on: queue)
    }

    /// Returns the address of the key set that the provider's OpenID configuration names (OpenID Connect Discovery 1.0,
    /// section 4).
    private func discovered() async throws(KeysUnavailable) -> String {
        let name = issuer.name.text
        let base = name.utf8.last == UInt8(ascii: "/") ? String(name.dropLast()) : name
        let address = base + "/.well-known/openid-configuration"
        let bytes = try await content(of: address)
        guard let document = try? JSONDocument(parsing: bytes, limits: Download.jsonLimits),
            let keys = document.root["jwks_uri"]?.string
        else { throw KeysUnavailable("\(address) is no OpenID configuration with a ‘jwks_uri’") }
        // Section 4.3: the configuration must name the issuer that was asked for.
        guard document.root["issuer"]?.string.map({ ExactText($0) }) == issuer.name else {
            throw KeysUnavailable("\(address) is the configuration of another issuer")
        }
        return keys
    }
}
