import PGStore
import Postgres
import WireFormats

/// Reads heads (highest sequence numbers) of spaces. One query reads the heads of many spaces, so a thousand polls at
/// once cost a few round trips and no transactions of their own.
///
/// An answer is never older than its request: it contains everything that was committed before the request was made.
final class HeadReader: Sendable {
    private let transactions: SpaceTransactions
    private let spaces: Spaces
    private let questions: SharedTurns<ID, SpaceState>

    /// The most spaces in one query, which takes PostgreSQL some hundred microseconds.
    private static let spacesMax = 500
    /// The most queries under way at a time. While PostgreSQL answers one, the requests that arrive are collected for
    /// the next.
    private static let questionsMax = 2

    init(_ transactions: SpaceTransactions, spaces: Spaces) {
        self.transactions = transactions
        self.spaces = spaces
        questions = .acrossSpaces(
            shareMax: HeadReader.spacesMax, turnsMax: HeadReader.questionsMax, slowTurnsMax: HeadReader.questionsMax,
            waitMax: transactions.pool.limits.waitMax)
    }

    /// Returns the state of a space.
    ///
    /// - Parameter revocations: the count of revocations (withdrawals of members' rights) that the space had when the
    ///   caller's rights were read; `nil` if it is not checked.
    /// - Throws: `SyncError.erased`, `SyncError.outdated`, `SyncError.rightsChanged`, `PGError`.
    func state(of space: ID, revocations: Int64?) async throws -> SpaceState {
        let state = try await transactions.repeating {
            try await questions.run(space) { [pool = transactions.pool, spaces] asked, _ in
                let command = spaces.readingHeads(asked)
                let rows = try await pool.withSession { session in try await session.execute(command) }
                return asked.indices.map { SpaceState(rows, $0) }
            }
        }
        try spaces.check(state, revocations: revocations)
        return state
    }
}
