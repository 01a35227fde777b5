import PGStore
import Postgres
import WireFormats

/// Reads heads of spaces, many with one question, so that a thousand polls at once cost a few round trips and no
/// transactions of their own.
///
/// An answer is never older than its question: whatever was committed before somebody asked is in it.
final class HeadReader: Sendable {
    private let pool: Pool
    private let spaces: Spaces
    private let questions: SharedTurns<ID, SpaceState>

    /// The most spaces in one question: some hundred microseconds' work.
    private static let spacesMax = 500
    /// The most questions under way: while PostgreSQL answers one, the next is made.
    private static let questionsMax = 2

    init(pool: Pool, spaces: Spaces) {
        self.pool = pool
        self.spaces = spaces
        questions = .ofSmall(
            shareMax: HeadReader.spacesMax, turnsMax: HeadReader.questionsMax, slowTurnsMax: HeadReader.questionsMax,
            waitMax: pool.limits.waitMax)
    }

    /// - Throws: `PGError`.
    func state(of space: ID) async throws -> SpaceState {
        try await questions.run(space) { [pool, spaces] asked, _ in
            let command = spaces.readingHeads(asked)
            let rows = try await pool.withSession { session in try await session.execute(command) }
            return asked.indices.map { SpaceState(rows, $0, rights: 6) }
        }
    }
}
