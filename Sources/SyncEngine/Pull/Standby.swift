import PGStore
package import Postgres
import Synchronization

/// A standby of the database that large pages are read from: those of devices that have much to read, as new ones have.
/// It follows the primary by moments, so a page counts only where the standby has the space as far as the primary had
/// it when the device asked; otherwise, and where anything else goes wrong, the page is read from the primary.
package final class Standby: Sendable {
    private let transactions: SpaceTransactions
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let note: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    /// From how many numbers on a page is worth the way: what is less, the primary reads while it says how many.
    static let numbersMin: Int64 = 1_000
    /// How long nobody asks a standby that was behind, and one that failed.
    static let rests = (behind: Duration.seconds(1), failed: Duration.seconds(5))

    /// What became of the pages that it was asked for.
    package struct Counts: Sendable, Hashable {
        package var read = 0
        package var behind = 0
        package var failed = 0

        package init(read: Int = 0, behind: Int = 0, failed: Int = 0) {
            (self.read, self.behind, self.failed) = (read, behind, failed)
        }
    }

    private struct State {
        var counts = Counts()
        var restsUntil: ContinuousClock.Instant?
        var isFailing = false
    }

    /// - Parameters:
    ///   - pool: sessions of the standby, in the serving role; see `openPool`.
    ///   - note: is told of a failure, once until it has worked again.
    package init(
        pool: Pool, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        note: @escaping @Sendable (any Error) -> Void
    ) {
        transactions = SpaceTransactions(pool: pool)
        self.clock = clock
        self.note = note
    }

    /// Each may hold a large page: 16 MiB of values, beside the sessions of the primary.
    private static let sessionsMax = 4

    /// Sessions that only read, behind the same wall.
    package static func openPool(
        _ database: ConnectionString, limits: PoolLimits = PoolLimits(), lifeline: Lifeline? = nil
    ) -> Pool {
        var limits = limits
        limits.sessionsMax = min(limits.sessionsMax, sessionsMax)
        return Pool(
            database.preferringStandby, role: LoginRights.servingRoleName, limits: limits,
            opening: Spaces.openingToRead, lifeline: lifeline)
    }

    package func close() async {
        await transactions.pool.close()
    }

    package var counts: Counts { state.withLock(\.counts) }

    /// - Parameters:
    ///   - head: how far the primary has the space.
    ///   - read: reads the page.
    /// - Returns: `nil` where the primary is to be asked.
    func page(
        upTo head: Int64, _ read: (SpaceTransactions) async throws -> Pull.Page
    ) async -> Pull.Page? {
        let mayAsk = state.withLock { state in state.restsUntil.map { $0 <= clock() } ?? true }
        guard mayAsk else { return nil }
        do {
            let page = try await read(transactions)
            let isBehind = page.head < head
            state.withLock { state in
                state.isFailing = false
                state.restsUntil = isBehind ? clock() + Standby.rests.behind : nil
                if isBehind { state.counts.behind += 1 } else { state.counts.read += 1 }
            }
            return isBehind ? nil : page
        } catch is SyncError {
            // What it does not know yet, such as the cursor, the primary does.
            state.withLock { $0.counts.behind += 1 }
            return nil
        } catch {
            if Task.isCancelled { return nil }
            let isNew = state.withLock { state in
                state.counts.failed += 1
                state.restsUntil = clock() + Standby.rests.failed
                defer { state.isFailing = true }
                return !state.isFailing
            }
            if isNew { note(error) }
            return nil
        }
    }
}
