import PGStore
import Synchronization
import WireFormats

/// Reads heads of spaces. Coalesces look-ups: while two are in flight, further callers join the next, so that a
/// thousand polls at once cost a few round trips and no transactions of their own.
///
/// An answer is never older than its question: whatever was committed before somebody asked is in it.
final class HeadReader: Sendable {
    private let pool: Pool
    private let spaces: Spaces
    private let state = Mutex(State())

    private typealias Waiter = CheckedContinuation<SpaceState, any Error>

    private struct State {
        /// How many questions are under way.
        var asking = 0
        var waiting: [(space: ID, waiter: Waiter)] = []
    }

    /// The most spaces in one question: some hundred microseconds' work.
    private static let spacesMax = 500
    /// The most questions under way: while PostgreSQL answers one, the next is made.
    private static let questionsMax = 2

    init(pool: Pool, spaces: Spaces) {
        self.pool = pool
        self.spaces = spaces
    }

    /// - Throws: `PGError`.
    func state(of space: ID) async throws -> SpaceState {
        try await withCheckedThrowingContinuation { waiter in
            let mustAsk = state.withLock { state in
                state.waiting.append((space, waiter))
                guard state.asking < HeadReader.questionsMax else { return false }
                state.asking += 1
                return true
            }
            // In a task of its own, because it goes on for others when this one has its answer.
            if mustAsk { Task { await ask() } }
        }
    }

    private func ask() async {
        while true {
            let asked = state.withLock { state in
                let asked = Array(state.waiting.prefix(HeadReader.spacesMax))
                state.waiting.removeFirst(asked.count)
                if asked.isEmpty { state.asking -= 1 }
                return asked
            }
            if asked.isEmpty { return }
            do {
                let command = spaces.readingHeads(asked.map(\.space))
                let rows = try await pool.withSession { session in try await session.execute(command) }
                for (row, question) in asked.enumerated() { question.waiter.resume(returning: SpaceState(rows, row)) }
            } catch {
                for question in asked { question.waiter.resume(throwing: error) }
            }
        }
    }
}
