import Postgres
import SyncEngine
import Synchronization

/// Whether the database answers: asked once for all who want to know in the same second, whoever they are.
final class Readiness: Sendable {
    private let pool: Pool
    private let waitMax: Duration
    private let state = Mutex(State())
    private let draining = Atomic<Bool>(false)

    /// How long an answer is good for: who looks after a server looks every few seconds.
    static let rememberedFor = Duration.seconds(1)
    /// The longest that somebody waits for the answer: then the database does not answer. Shorter than the patience of
    /// the usual balancers.
    static let waitMaxDefault = Duration.seconds(2)

    private struct State {
        /// The last answer, and when it came.
        var answer: (isReady: Bool, at: ContinuousClock.Instant)?
        /// Since when a question is under way.
        var askedAt: ContinuousClock.Instant?
        var waiting: [CheckedContinuation<Bool, Never>] = []
        var questionCount = 0
    }

    init(pool: Pool, waitMax: Duration = Readiness.waitMaxDefault) {
        self.pool = pool
        self.waitMax = waitMax
    }

    /// Whether the server is about to stop, and no more should be sent to it.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() { draining.store(true, ordering: .relaxed) }

    /// How often the database was asked.
    var questionCount: Int { state.withLock { $0.questionCount } }

    /// What is known without asking; `nil` for nothing recent.
    func known(at now: ContinuousClock.Instant = .now) -> Bool? {
        state.withLock { state in
            if let answer = state.answer, now - answer.at < Readiness.rememberedFor { return answer.isReady }
            if let askedAt = state.askedAt, now - askedAt >= waitMax { return false }
            return nil
        }
    }

    /// Asks, or waits for the answer to a question that is under way.
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
                tell(isReady) { state in
                    state.askedAt = nil
                    state.answer = (isReady, .now)
                    return true
                }
            }
            // Who waits for an answer that does not come is told so. The question stays under way, so that no other
            // takes a session more.
            Task {
                try? await Task.sleep(for: waitMax)
                tell(false) { $0.askedAt != nil && $0.questionCount == number }
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

    /// For who came when the others had been told.
    private func giveUpIfLate() {
        tell(false) { state in state.askedAt.map { ContinuousClock.now - $0 >= waitMax } ?? false }
    }

    /// Tells all who wait, if `isDue` says so.
    private func tell(_ isReady: Bool, if isDue: (inout State) -> Bool) {
        let waiting = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            guard isDue(&state) else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume(returning: isReady) }
    }
}
