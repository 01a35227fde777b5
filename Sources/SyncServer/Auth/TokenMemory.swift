import HTTPServer
import SyncEngine
import Synchronization

/// The remembered results of token look-ups. Invalid tokens are remembered too. A result is used only for a limited
/// time.
final class TokenMemory: Sendable {
    private let state = Mutex(State())

    /// The time for which the result of a look-up is used. For that long, a revoked token may still be accepted. A
    /// token that was tried before it was created may be refused for that long.
    static let rememberedFor = Duration.seconds(5)
    /// The age from which the next use of a grant (a token's rights) starts a look-up in the background, so that a busy
    /// client never waits for one.
    static let refreshedAfter = Duration.seconds(3)
    /// The maximum number of valid tokens that are remembered; as many invalid ones may be remembered too. If one of
    /// the two numbers is exceeded, all tokens of that kind are forgotten and need another look-up. This number of
    /// tokens takes a few megabytes.
    static let countMax = 20_000

    private struct State {
        /// The results of valid tokens by hash. Results that are too old to be used are kept, because they show that a
        /// token was once valid. Such a token is looked up before unknown ones.
        var valid: [[UInt8]: Valid] = [:]
        var invalid: [[UInt8]: ContinuousClock.Instant] = [:]
        /// The latest time at which a request to this server changed a token's rights. Look-ups begun before it may
        /// have missed the change.
        var outdated: ContinuousClock.Instant?
    }

    /// A token that was valid at its look-up.
    struct Valid: Sendable {
        let grant: Grant
        let since: ContinuousClock.Instant
        /// The time when the token expires by itself.
        let until: ContinuousClock.Instant
        /// The token's subject, whose share of the server's resources the token's requests use. It is computed once,
        /// because every request needs it.
        let holder: Holder

        init(grant: Grant, since: ContinuousClock.Instant, until: ContinuousClock.Instant) {
            (self.grant, self.since, self.until) = (grant, since, until)
            holder = Holder(grant.shareName)
        }

        /// Returns true if the grant (the token's rights) may be used without asking the database again.
        func isCurrent(at now: ContinuousClock.Instant = .now) -> Bool {
            now < until && now - since < TokenMemory.rememberedFor
        }

        /// A copy of the result that is marked as too old. The token may not be used without another look-up.
        fileprivate var outdated: Valid {
            Valid(grant: grant, since: .now - TokenMemory.rememberedFor, until: until)
        }
    }

    enum Knowledge {
        case valid(Valid, needsRefresh: Bool)
        case invalid
        /// There is no result that may still be used; `wasValid` is true if the token was valid at an earlier look-up.
        case nothing(wasValid: Bool)
    }

    func knowledge(of hash: [UInt8], at now: ContinuousClock.Instant) -> Knowledge {
        state.withLock { state in
            if let valid = state.valid[hash] {
                guard valid.isCurrent(at: now) else { return .nothing(wasValid: true) }
                return .valid(valid, needsRefresh: now - valid.since >= TokenMemory.refreshedAfter)
            }
            if let since = state.invalid[hash], now - since < TokenMemory.rememberedFor { return .invalid }
            return .nothing(wasValid: false)
        }
    }

    /// Forces the next request with this token to look it up again, because the token's rights have just changed.
    func outdate(_ hash: [UInt8]) {
        state.withLock { state in
            state.outdated = .now
            state.valid[hash] = state.valid[hash]?.outdated
        }
    }

    /// Keeps the result of a look-up of these tokens.
    ///
    /// - Parameter asked: the time when the look-up began; its result includes every revocation before that time.
    func keep(_ valid: [[UInt8]: Valid], of hashes: [[UInt8]], asked: ContinuousClock.Instant) {
        state.withLock { state in
            if state.valid.count + hashes.count > TokenMemory.countMax { state.valid = [:] }
            if state.invalid.count + hashes.count > TokenMemory.countMax { state.invalid = [:] }
            // A look-up that began before a change of rights may have missed it. Whose rights changed is not kept, so
            // the next request with any of its tokens asks again.
            let isOutdated = state.outdated.map { asked <= $0 } ?? false
            for hash in hashes {
                state.valid[hash] = isOutdated ? valid[hash]?.outdated : valid[hash]
                state.invalid[hash] = valid[hash] == nil && !isOutdated ? asked : nil
            }
        }
    }
}
