import PGStore
import Synchronization

/// How many changes wait in quarantine, by app: asked of the database for whoever looks at the metrics, and rarely.
final class HeldCounts: Sendable {
    private let pool: Pool
    private let state = Mutex<(counts: [String: Int], asked: ContinuousClock.Instant)?>(nil)

    /// How long an answer is good for, however often somebody looks.
    static let rememberedFor = Duration.seconds(15)
    /// A directory with more changes than that is counted to this and no further.
    static let countMax = 100_000

    init(pool: Pool) {
        self.pool = pool
    }

    /// What was known last, where the database cannot be asked now.
    func counts(now: ContinuousClock.Instant = .now) async -> [String: Int] {
        let known = state.withLock { $0 }
        if let known, now - known.asked < HeldCounts.rememberedFor { return known.counts }
        // Others who look meanwhile are told what is known.
        state.withLock { $0 = (known?.counts ?? [:], now) }
        let command = Command(
            """
            SELECT app, count(*) FROM (SELECT app FROM sync.quarantine_directory LIMIT $1) AS held GROUP BY app
            """, [.int(Int64(HeldCounts.countMax))])
        guard let rows = try? await pool.withSession({ session in try await session.execute(command) }) else {
            return known?.counts ?? [:]
        }
        let found = Dictionary(
            uniqueKeysWithValues: (0..<rows.count).map { (rows.string($0, 0), Int(rows.int($0, 1))) })
        state.withLock { $0 = (found, now) }
        return found
    }
}
