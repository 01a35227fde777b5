import Postgres
import SyncEngine
import Synchronization

/// A readiness check that asks the database once for all callers of the same second.
final class Readiness: Sendable {
    private let pool: Pool
    private let waitMax: Duration
    private let state = Mutex(State())
    private let draining = Atomic<Bool>(false)

    /// The time for which the last result is reused. Supervisors ask every few seconds.
    static let rememberedFor = Duration.seconds(1)
    /// The longest time that a caller waits for the database's answer. After that, the database counts as unreachable.
    /// The time is shorter than the timeout of common load balancers, so that they get an answer.
    static let waitMaxDefault = Duration.seconds(2)

    private struct State {
        /// The result of the last readiness query, and the time when it came.
        var answer: (isReady: Bool, at: ContinuousClock.Instant)?
        /// The time at which the running query was sent to the database; `nil` if no query is running.
        var askedAt: ContinuousClock.Instant?
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var questionCount = 0
    }

    init(pool: Pool, waitMax: Duration = Readiness.waitMaxDefault) {
        self.pool = pool
        self.waitMax = waitMax
    }

    /// True if the server is about to stop, and should get no more requests.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() { draining.store(true, ordering: .relaxed) }

    /// The number of queries that were sent to the database.
    var questionCount: Int { state.withLock { $0.questionCount } }

    /// Returns the database's readiness, as far as it is known without another query. This is the last result if it is
    /// recent, or false if a query has been running for `waitMax`. Otherwise returns `nil`.
    func known(at now: ContinuousClock.Instant = .now) -> Bool? {
        state.withLock { state in
            if let answer = state.answer, now - answer.at < Readiness.rememberedFor { return answer.isReady }
            if let askedAt = state.askedAt, now - askedAt >= waitMax { return false }
            return nil
        }
    }

    /// Asks the database if it is ready. If such a query is already running, waits for its result.
    func ask() async -> Bool {
        await withCheckedContinuation { waiter in
            let number = state.withLock { state -> Int? in
                state.waiting.append(waiter)
                if state.askedAt != nil { return nil }
                state.askedAt = .now
                state.questionCount += 1
                return state.questionCount
            }
            guard let number else { return giveUpIfLate() }
            Task {
                let isReady = await self.question()
                answer(isReady) { state in
                    state.askedAt = nil
                    state.answer = (isReady, .now)
                    return true
                }
            }
            // Callers that wait for an answer that does not come get false. The question stays under way, so that no
            // second one takes another session.
            Task {
                try? await Task.sleep(for: waitMax)
                answer(false) { $0.askedAt != nil && $0.questionCount == number }
            }
        }
    }

    private func question() async -> Bool {
        do {
            _ = try await pool.withSession { session in try await session.execute(Command("SELECT 1")) }
            return true
        } catch {
            return false
        }
    }

    /// Answers the waiting callers with false if the running query is older than `waitMax`.
    private func giveUpIfLate() {
        answer(false) { state in state.askedAt.map { ContinuousClock.now - $0 >= waitMax } ?? false }
    }

    /// Answers all waiting callers with `isReady`, if `isDue` returns true for the current state.
    private func answer(_ isReady: Bool, if isDue: (inout State) -> Bool) {
        let waiting = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            guard isDue(&state) else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume(returning: isReady) }
    }
}
