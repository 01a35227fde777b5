/// The limits of a pool: its sessions, its waiting callers and their waits.
package struct PoolLimits: Sendable {
    /// The most sessions open at once. Each is a process on the database server.
    package var sessionsMax: Int
    /// The most callers waiting at once; the next is refused with `poolOverloaded`.
    package var waitersMax: Int
    /// The longest time that a caller waits before `poolTimeout`.
    package var waitMax: Duration
    /// The idle time after which a session is pinged before it is lent.
    package var idleBeforePing: Duration

    /// Creates limits with defaults.
    ///
    /// - Parameters:
    ///   - sessionsMax: PostgreSQL's default is 100 for everyone; a few per core is where throughput peaks.
    ///   - waitersMax: a queue deeper than this cannot drain within `waitMax` at a few milliseconds per transaction.
    ///   - waitMax: after this time, it is better to refuse a client so that it tries again later.
    ///   - idleBeforePing: shorter than the idle limits of the usual balancers and firewalls.
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
