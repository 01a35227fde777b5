import PGStore
package import Postgres
import Synchronization

/// A standby of the database, from which large pages are read, such as those of new devices.
///
/// The standby is some moments behind the primary. So a page from it is used only if the standby already has everything
/// that the primary had in the space when the device asked. Otherwise, and after any other failure, the page is read
/// from the primary.
package final class Standby: Sendable {
    private let transactions: SpaceTransactions
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let note: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    /// The least count of sequence numbers between the cursor and the head for which a page is read from the standby.
    /// Fewer are read from the primary, together with its head.
    static let numbersMin: Int64 = 1_000
    /// The times for which the standby is not used after it was behind, and after it failed.
    static let rests = (behind: Duration.seconds(1), failed: Duration.seconds(5))

    /// Counts of the pages that were requested from the standby, by outcome.
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

    /// Creates a standby from a pool of its sessions.
    ///
    /// - Parameters:
    ///   - pool: a pool of sessions on the standby, as `openPool` opens it.
    ///   - note: is called with the error when the standby fails. It is not called again until the standby has worked
    ///     in between.
    package init(
        pool: Pool, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        note: @escaping @Sendable (any Error) -> Void
    ) {
        transactions = SpaceTransactions(pool: pool)
        self.clock = clock
        self.note = note
    }

    /// The most sessions of a pool for the standby. They are few because each may hold a large page, 16 MiB of values,
    /// in addition to the sessions of the primary.
    private static let sessionsMax = 4

    /// Opens a pool of read-only sessions on the standby. They have the same database role as sessions on the primary,
    /// so row-level security applies to them, too.
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

    /// Reads a page from the standby, if it is usable and recent enough.
    ///
    /// - Parameters:
    ///   - head: the primary's head of the space, which the standby must have reached.
    ///   - read: reads the page with the transactions of the standby.
    /// - Returns: the page; `nil` if it must be read from the primary.
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
            // The primary knows what the standby does not know yet, such as the cursor.
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
