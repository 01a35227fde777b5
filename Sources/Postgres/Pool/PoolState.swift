/// The leases and waiting callers of a pool, and the decisions about them, without side effects. The pool performs the
/// actions that the methods return.
///
/// A *slot* is the right to have one session open. Every slot is idle (it has a session that nobody uses), leased (a
/// caller uses its session, or is opening one), or free (it has no session). Waiting callers are served first come,
/// first served. A caller waits only if every slot is leased.
struct PoolState<Resource, Waiter: Equatable> {
    private let limits: PoolLimits
    /// The idle sessions, the most recently used last, each with the time since which it is idle. The time is `nil` if
    /// the session's connection may be lost. The last session is lent first, because its server process has the most
    /// useful caches.
    private var idle: [(resource: Resource, since: Duration?)] = []
    private var leasedCount = 0
    private var waiters: [Waiter] = []
    private var isClosed = false

    init(limits: PoolLimits) {
        self.limits = limits
    }

    /// The permission to use a session, as the pool gives it to a caller.
    enum Grant {
        /// Use this session; ping it first if it is `stale`.
        case lend(Resource, stale: Bool)
        /// Open a new session, because no idle one is left.
        case open
    }

    /// The reply to a caller that requests a session.
    enum Reply {
        case granted(Grant)
        case wait
        case refused(PGError)
    }

    /// The actions that the pool takes after a caller has given its slot (the right to have one session open) back.
    struct Handover {
        /// The waiting caller to wake, and the action that this caller takes; `nil` for none.
        var wake: (Waiter, Grant)?
        /// The session to close; `nil` for none.
        var close: Resource?
        /// True if the pool is closed and the last session that was lent has been given back.
        var isDrained = false
    }

    var counts: PoolCounts {
        PoolCounts(open: idle.count + leasedCount, idle: idle.count, leased: leasedCount, waiting: waiters.count)
    }

    /// Requests a session for a caller. `now` is the time by a monotonic clock.
    mutating func request(by waiter: Waiter, now: Duration) -> Reply {
        if isClosed { return .refused(.poolClosed) }
        if let (resource, since) = idle.popLast() {
            leasedCount += 1
            return .granted(.lend(resource, stale: since.map { now - $0 > limits.idleBeforePing } ?? true))
        }
        if leasedCount < limits.sessionsMax {
            leasedCount += 1
            return .granted(.open)
        }
        if waiters.count >= limits.waitersMax { return .refused(.poolOverloaded) }
        waiters.append(waiter)
        return .wait
    }

    /// Removes a caller that gives up waiting.
    ///
    /// - Returns: true if the caller was still waiting. If not, it has been granted a slot (the right to have one
    ///   session open), which it must give back.
    mutating func withdraw(_ waiter: Waiter) -> Bool {
        guard let index = waiters.firstIndex(of: waiter) else { return false }
        waiters.remove(at: index)
        return true
    }

    /// Takes back a slot (the right to have one session open) from a caller. `resource` is the slot's session; `nil` if
    /// it broke or could not be opened. In that case the server may be down, so every idle session is pinged before it
    /// is lent again.
    mutating func giveBack(_ resource: Resource?, now: Duration) -> Handover {
        precondition(leasedCount > 0, "A slot was given back that nobody had.")
        if resource == nil {
            for index in idle.indices { idle[index].since = nil }
        }
        if isClosed {
            leasedCount -= 1
            return Handover(close: resource, isDrained: leasedCount == 0)
        }
        if !waiters.isEmpty {
            let grant = resource.map { Grant.lend($0, stale: false) } ?? .open
            return Handover(wake: (waiters.removeFirst(), grant))
        }
        leasedCount -= 1
        if let resource { idle.append((resource, now)) }
        return Handover()
    }

    /// Refuses every caller from now on.
    ///
    /// - Returns: the waiting callers to turn away, the sessions to close, and `isDrained`: true if no session is lent
    ///   to a caller any more.
    mutating func close() -> (turnedAway: [Waiter], close: [Resource], isDrained: Bool) {
        isClosed = true
        defer {
            waiters = []
            idle = []
        }
        return (waiters, idle.map(\.resource), leasedCount == 0)
    }
}

extension PoolState.Grant: Sendable where Resource: Sendable {}
