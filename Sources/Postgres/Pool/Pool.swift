import Synchronization

/// A pool of at most a fixed number of sessions. Each is lent to one caller at a time, first come, first served.
///
/// `PoolState` decides who gets a session. The pool carries out these decisions outside the lock: it opens, pings and
/// closes sessions, and wakes callers. Sessions are opened on demand and kept. A session that breaks while it is lent
/// is dropped, and the next caller opens another instead.
package final class Pool: Sendable {
    private typealias Ticket = Promise<Result<Grant, PGError>>
    private typealias Grant = PoolState<Session, TicketID>.Grant

    package let limits: PoolLimits
    private let open: @Sendable () async throws(PGError) -> Session
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let books: Mutex<Books>
    private let drained = Promise<Void>()

    private typealias TicketID = Int

    /// The pool's mutable state, which its lock protects.
    private struct Books {
        var state: PoolState<Session, TicketID>
        var tickets: [TicketID: Ticket] = [:]
        var ticketCount = 0
        var answerBytesMax = 0
        /// Sessions that their callers gave back after `close` was called; `close` then logs them out.
        var leftovers: [Session] = []
    }

    /// Creates an empty pool.
    ///
    /// - Parameters:
    ///   - clock: the clock that measures the waits of callers and the idle time of sessions.
    ///   - open: opens a new session.
    package init<C: Clock<Duration>>(
        limits: PoolLimits = PoolLimits(), clock: C = ContinuousClock(),
        open: @escaping @Sendable () async throws(PGError) -> Session
    ) {
        self.limits = limits
        self.open = open
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
        books = Mutex(Books(state: PoolState(limits: limits)))
    }

    /// Creates a pool of sessions of one database, each in the same role.
    ///
    /// - Parameters:
    ///   - opening: a command that each session runs first; its rows are dropped.
    ///   - lifeline: ends all waits of the sessions when it is cut.
    package convenience init(
        _ string: ConnectionString, role: String? = nil, settings: SessionSettings = .serving,
        limits: PoolLimits = PoolLimits(), opening: Command? = nil, lifeline: Lifeline? = nil
    ) {
        self.init(limits: limits) { () throws(PGError) in
            let session = try await Session.open(string, role: role, settings: settings, lifeline: lifeline)
            if let opening { try await session.execute(opening) }
            return session
        }
    }

    package var counts: PoolCounts {
        books.withLock { books in
            var counts = books.state.counts
            counts.answerBytesMax = books.answerBytesMax
            return counts
        }
    }

    /// Passes a session to `body` and takes it back when `body` ends. `body` must not keep it.
    ///
    /// - Throws: `poolTimeout`, `poolOverloaded`, `poolClosed`, or `cancelled` while waiting; the error of opening a
    ///   session; the error of `body`.
    @discardableResult
    package func withSession<Value>(_ body: (Session) async throws -> Value) async throws -> Value {
        let session = try await lease()
        defer { giveBack(session) }
        return try await body(session)
    }

    /// Runs one transaction in a session of the pool; see `Session.transaction`.
    @discardableResult
    package func transaction<Value: Sendable>(
        _ mode: TransactionMode = .readWrite, preamble: [Command] = [],
        _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        let session = try await lease()
        defer { giveBack(session) }
        return try await session.transaction(mode, preamble: preamble, body)
    }

    /// Closes the pool: refuses new and waiting callers, waits until every lent session is given back, and logs all
    /// sessions out.
    package func close() async {
        let (tickets, sessions, isDrained) = books.withLock { books in
            let closing = books.state.close()
            let tickets = closing.turnedAway.compactMap { books.tickets.removeValue(forKey: $0) }
            return (tickets, closing.close, closing.isDrained)
        }
        for ticket in tickets { ticket.keep(.failure(.poolClosed)) }
        for session in sessions { await session.close() }
        if isDrained { drained.keep(()) }
        await drained.value
        for session in books.withLock({ $0.leftovers }) { await session.close() }
    }
}

extension Pool {
    private func lease() async throws(PGError) -> Session {
        switch try await obtainSlot() {
        case .open: return try await fill()
        case .lend(let session, stale: false): return session
        case .lend(let session, stale: true):
            if await session.canWrite() { return session }
            await session.close()
            return try await fill()
        }
    }

    /// Obtains a slot of the pool (the right to have one session open), at once or after a wait.
    private func obtainSlot() async throws(PGError) -> Grant {
        let now = now()
        let (reply, id, ticket) = books.withLock { books in
            books.ticketCount += 1
            let id = books.ticketCount
            let reply = books.state.request(by: id, now: now)
            guard case .wait = reply else { return (reply, id, nil as Ticket?) }
            let ticket = Ticket()
            books.tickets[id] = ticket
            return (reply, id, ticket)
        }
        switch reply {
        case .granted(let grant): return grant
        case .refused(let error): throw error
        case .wait: return try await wait(id, ticket!)
        }
    }

    private func wait(_ id: TicketID, _ ticket: Ticket) async throws(PGError) -> Grant {
        let answer = await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // Cancelled as soon as the answer is there.
                    guard (try? await self.sleep(self.limits.waitMax)) != nil else { return }
                    self.withdraw(id, .poolTimeout)
                }
                let answer = await ticket.value
                group.cancelAll()
                return answer
            }
        } onCancel: {
            withdraw(id, .cancelled)
        }
        return try answer.get()
    }

    /// Ends a caller's wait for a session with `error`. Does nothing if the caller has already been granted a slot of
    /// the pool.
    private func withdraw(_ id: TicketID, _ error: PGError) {
        let ticket = books.withLock { books in
            books.state.withdraw(id) ? books.tickets.removeValue(forKey: id) : nil
        }
        ticket?.keep(.failure(error))
    }

    /// Opens a session for a slot (the right to have one session open) that has been granted to the caller.
    private func fill() async throws(PGError) -> Session {
        do throws(PGError) {
            return try await open()
        } catch {
            giveBack(nil)
            throw error
        }
    }

    private func giveBack(_ session: Session?) {
        let answerBytes = session?.answerBytesMax ?? 0
        let session = session.flatMap { $0.isUsable ? $0 : nil }
        let now = now()
        let (handover, ticket) = books.withLock { books in
            books.answerBytesMax = max(books.answerBytesMax, answerBytes)
            let handover = books.state.giveBack(session, now: now)
            if let last = handover.close { books.leftovers.append(last) }
            return (handover, handover.wake.flatMap { books.tickets.removeValue(forKey: $0.0) })
        }
        if let ticket, let (_, grant) = handover.wake { ticket.keep(.success(grant)) }
        if handover.isDrained { drained.keep(()) }
    }
}
