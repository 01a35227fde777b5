import PGStore
import Postgres

/// A database that serves spaces of one app: its sessions, and the queues in which requests share transactions.
/// Requests to different databases never wait for each other here.
final class SpaceDatabase: Sendable {
    let transactions: SpaceTransactions
    let pushes: PushRunner
    let pulls: PullRunner
    let heads: HeadReader
    /// The latest head of each space that this process changed in the database.
    let recentHeads = RecentHeads()

    /// Creates the queues of a database.
    ///
    /// - Parameters:
    ///   - standby: a standby of the database, from which large pages are read; `nil` for none.
    ///   - moved: receives the spaces that pushes change; `nil` if no client listens for events.
    init(_ pool: Pool, _ store: AppStore, standby: Standby?, moved: MovedSpaces?) {
        transactions = SpaceTransactions(pool: pool)
        // Half of the sessions, so that the other half stays free for larger requests.
        let (slowTurnsMax, waitMax) = (pool.limits.sessionsMax / 2, pool.limits.waitMax)
        pushes = PushRunner(
            store: store, spaceQueue: .perSpace(waitMax: waitMax),
            sharedQueue: .acrossSpaces(slowTurnsMax: slowTurnsMax, waitMax: waitMax), transactions: transactions,
            recentHeads: recentHeads, moved: moved)
        heads = HeadReader(transactions, spaces: store.spaces)
        pulls = PullRunner(
            transactions: transactions, heads: heads, standby: standby,
            sharedQueue: .acrossSpaces(slowTurnsMax: slowTurnsMax, waitMax: waitMax))
    }
}
