import SyncEngine
import Synchronization

/// What is known of tokens, valid or not, for as long as it may be used.
final class TokenMemory: Sendable {
    private let state = Mutex(State())

    /// How long a revoked token may still be accepted, and one that was tried before it existed be refused.
    static let rememberedFor = Duration.seconds(5)
    /// From this age on, the next use of a grant has it looked up again beside it, so that whoever is busy never waits.
    static let refreshedAfter = Duration.seconds(3)
    /// How many tokens are remembered of the valid ones, and how many of the others; beyond that all of them are
    /// forgotten, which costs each another look-up. A few megabytes.
    static let countMax = 20_000

    private struct State {
        /// Also those whose time is over: that they were valid is worth knowing.
        var valid: [[UInt8]: Valid] = [:]
        var invalid: [[UInt8]: ContinuousClock.Instant] = [:]
    }

    /// A token that was valid when it was looked up.
    struct Valid: Sendable {
        let grant: Grant
        let since: ContinuousClock.Instant
        /// When it ends by itself.
        let until: ContinuousClock.Instant

        /// Whether the database need not be asked again before something is done by it.
        func isCurrent(at now: ContinuousClock.Instant = .now) -> Bool {
            now < until && now - since < TokenMemory.rememberedFor
        }
    }

    enum Knowledge {
        case valid(Valid, needsRefresh: Bool)
        case invalid
        /// Nothing that may still be used.
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

    /// Has this token looked up again by the next request with it: what it allows has just changed.
    func outdate(_ hash: [UInt8]) {
        state.withLock { state in
            guard let valid = state.valid[hash] else { return }
            state.valid[hash] = Valid(
                grant: valid.grant, since: .now - TokenMemory.rememberedFor, until: valid.until)
        }
    }

    /// Keeps the answer to a question about these tokens.
    ///
    /// - Parameter asked: when it was asked: what was revoked before is revoked in the answer.
    func keep(_ valid: [[UInt8]: Valid], of hashes: [[UInt8]], asked: ContinuousClock.Instant) {
        state.withLock { state in
            if state.valid.count + hashes.count > TokenMemory.countMax { state.valid = [:] }
            if state.invalid.count + hashes.count > TokenMemory.countMax { state.invalid = [:] }
            for hash in hashes {
                state.valid[hash] = valid[hash]
                state.invalid[hash] = valid[hash] == nil ? asked : nil
            }
        }
    }
}
