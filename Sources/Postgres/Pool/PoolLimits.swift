/// The limits of a pool: its sessions, its waiting callers and their waits.
package struct PoolLimits: Sendable {
    /// The most sessions open at once. Each is a process on the database server.
    package var sessionsMax: Int
    /// The most callers waiting at once; the next is refused with `poolOverloaded`.
    package var waitersMax: Int
    /// The longest time that a caller waits for a session; it then gets the error `poolTimeout`.
    package var waitMax: Duration
    /// The idle time after which a session is pinged (asked for a trivial result) before it is lent.
    package var idleBeforePing: Duration

    /// Creates limits, with defaults for all of them.
    ///
    /// - Parameters:
    ///   - sessionsMax: the most open sessions. A few for each core give the greatest throughput. PostgreSQL itself
    ///     accepts 100 by default, from all programs together.
    ///   - waitersMax: the most waiting callers. At a few milliseconds for each transaction, a longer queue could not
    ///     be served within `waitMax`.
    ///   - waitMax: the longest wait of a caller. After this time it is better to refuse a client, so that it tries
    ///     again later.
    ///   - idleBeforePing: the idle time before a ping, shorter than the time after which the usual balancers and
    ///     firewalls cut an idle connection.
    package init(
        sessionsMax: Int = 16, waitersMax: Int = 1000, waitMax: Duration = .seconds(5),
        idleBeforePing: Duration = .seconds(30)
    ) {
        precondition(sessionsMax > 0 && waitersMax >= 0, "A pool holds at least one session.")
        self.sessionsMax = sessionsMax
        self.waitersMax = waitersMax
        self.waitMax = waitMax
        self.idleBeforePing = idleBeforePing
    }
}
