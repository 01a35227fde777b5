import Postgres
import SyncEngine
import Synchronization

/// A readiness check that asks the database once for all callers of the same second.
final class Readiness: Sendable {
    private let pool: Pool
    private let waitMax: Duration
    private let state = Mutex(State())
    private let draining = Atomic<Bool>(false)

    /// The time for which an answer is valid: supervisors ask every few seconds.
    static let rememberedFor = Duration.seconds(1)
    /// The longest time that a caller waits for the database's answer; after it, the database counts as unreachable.
    /// Shorter than the timeout of common load balancers.
    static let waitMaxDefault = Duration.seconds(2)

    private struct State {
        /// The last answer, and the time when it came.
        var answer: (isReady: Bool, at: ContinuousClock.Instant)?
        /// The time at which the database was asked the question that is under way; `nil` if there is none.
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

    /// The number of questions that the database was asked.
    var questionCount: Int { state.withLock { $0.questionCount } }

    /// Returns what is known without asking the database: the last answer if it is recent; false if a question has been
    /// under way for `waitMax`; otherwise `nil`.
    func known(at now: ContinuousClock.Instant = .now) -> Bool? {
        state.withLock { state in
            if let answer = state.answer, now - answer.at < Readiness.rememberedFor { return answer.isReady }
            if let askedAt = state.askedAt, now - askedAt >= waitMax { return false }
            return nil
        }
    }

    /// Asks the database, or waits for the answer to a question that is under way.
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

    /// Answers the waiting callers with false if the question under way is older than `waitMax`. A caller may have
    /// joined it after the earlier callers had got that answer.
    private func giveUpIfLate() {
        answer(false) { state in state.askedAt.map { ContinuousClock.now - $0 >= waitMax } ?? false }
    }

    /// Answers all waiting callers if `isDue` returns true.
    private func answer(_ isReady: Bool, if isDue: (inout State) -> Bool) {
        let waiting = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            guard isDue(&state) else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume(returning: isReady) }
    }
}
