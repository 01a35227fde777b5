internal import Synchronization

/// One request and its response, from the headers to the last byte sent.
///
/// libmicrohttpd stores the exchange in the request's context from the first access callback to the completed callback.
/// While the connection is suspended, a task has a reference to the exchange, too. Several threads may try to resume
/// the connection, but only the thread that changes the phase resumes it.
final class Exchange: Sendable {
    /// The state of an exchange, which decides on the next step when libmicrohttpd calls the access callback.
    enum Phase: Sendable {
        /// The headers have arrived, and the application has not decided yet. Next: `lookingUp`, `receiving` or
        /// `answered`.
        case arrived
        /// A task identifies the caller. Meanwhile the connection is suspended. The next phase is `lookedUp` or
        /// `abandoned`.
        case lookingUp
        /// The caller is identified. Next: `receiving` or `answered`.
        case lookedUp(Admission)
        /// The request is admitted, and the body, if there is one, is arriving. Next: `responding` or `answered`.
        case receiving
        /// The request is complete. It waits for its turn (see `Turns`), or `respond` is answering it. Meanwhile the
        /// connection is suspended. The next phase is `answered` or `abandoned`.
        case responding
        /// The response exists and is not yet queued for sending. Next: `queued`.
        case answered(HTTPResponse)
        /// The server is stopping and the response is no longer needed. No other phase follows.
        case abandoned
        /// The response was handed to libmicrohttpd. No other phase follows.
        case queued

        fileprivate var isSuspended: Bool {
            switch self {
            case .lookingUp, .responding: true
            default: false
            }
        }
    }

    /// The party that an admitted request is charged to (its holder), and the function that answers the request.
    struct Account: Sendable {
        let holder: Holder
        let respond: @Sendable (HTTPRequest) async -> HTTPResponse
    }

    let connection: Connection
    let pointer: ConnectionPointer
    /// The checked request line and headers; `nil` if they were refused.
    let head: RequestHead?
    /// True if a body follows the headers. If the server answers before the body has arrived, the connection is closed.
    let declaresBody: Bool

    /// True if the server may answer the request before its body was read. That is so if the headers announce a body,
    /// or if the head was refused.
    var isAnsweredBeforeBody: Bool { declaresBody || head == nil }

    private let state: Mutex<State>

    private struct State {
        var phase: Phase
        var account: Account?
        var body: [UInt8] = []
        var chargedBytes = 0
        /// True if the connection was suspended and libmicrohttpd has not called back for it since.
        var isSuspended = false
        /// True if the request counts as in flight. It does while its connection is suspended for the application's
        /// answer.
        var holdsSlot = false
        var turn: (weight: Int, since: ContinuousClock.Instant)?
        var task: Task<Void, Never>?
    }

    init(
        connection: Connection, pointer: ConnectionPointer, headers: HTTPHeaders, head: Result<RequestHead, Problem>
    ) {
        self.connection = connection
        self.pointer = pointer
        declaresBody = RequestHead.declaresBody(headers)
        switch head {
        case .success(let head):
            self.head = head
            state = Mutex(State(phase: .arrived))
        case .failure(var problem):
            self.head = nil
            // Closes the connection, so that no bytes after the refused head are taken for another request.
            problem.headers["Connection"] = "close"
            state = Mutex(State(phase: .answered(problem.response)))
        }
    }

    var phase: Phase {
        state.withLock { $0.phase }
    }

    /// The holder that the request is charged to, with the function that answers it; `nil` until the request is
    /// admitted.
    var account: Account? {
        state.withLock { $0.account }
    }

    /// Marks the request as admitted, so that its body is received. The body is charged to the holder of `account`.
    func open(_ account: Account) {
        state.withLock { state in
            state.account = account
            state.phase = .receiving
        }
    }

    /// Appends a part of the body; returns the body's size so far, in bytes.
    func append(_ part: UnsafeRawBufferPointer, reserving capacity: Int) -> Int {
        state.withLock { state in
            if state.body.isEmpty { state.body.reserveCapacity(capacity) }
            state.body.append(contentsOf: part)
            return state.body.count
        }
    }

    /// Returns the body and removes it from the exchange.
    func takeBody() -> [UInt8] {
        state.withLock { state in
            let body = state.body
            state.body = []
            return body
        }
    }

    /// True if the request's body is so small that the loop's thread can answer the request without delaying other
    /// connections. A compressed body does not count as small, because its content is larger.
    var isShort: Bool {
        head?.coding == nil && state.withLock { $0.body.count <= EventLoop.shortSizeMaxBytes }
    }

    /// Adds `bytes` to the memory that is counted for this exchange towards the share of its holder (the party that it
    /// is charged to).
    func charge(_ bytes: Int) {
        state.withLock { $0.chargedBytes += bytes }
    }

    /// Returns the bytes of memory that are counted for this exchange, and resets the count to 0.
    func giveBackCharge() -> Int {
        state.withLock { state in
            defer { state.chargedBytes = 0 }
            return state.chargedBytes
        }
    }

    var chargedBytes: Int {
        state.withLock { $0.chargedBytes }
    }

    /// Suspends the connection until the caller is identified or the exchange is abandoned. Call this only in the
    /// access callback of libmicrohttpd.
    func suspendForLookUp() {
        suspend { $0.phase = .lookingUp }
    }

    /// Suspends the connection until `answer` or `abandon` is called. Call this only in the access callback of
    /// libmicrohttpd.
    ///
    /// - Parameter weight: the weight with which the request counts towards the limit on running requests (see
    ///   `Turns`).
    func suspendForTurn(weight: Int) {
        suspend { state in
            state.phase = .responding
            state.holdsSlot = true
            state.turn = (weight, .now)
        }
    }

    private func suspend(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            state.isSuspended = true
            // Under the lock, so that no thread can resume before the suspension; `suspend()` takes no lock of this
            // target.
            pointer.suspend()
        }
    }

    /// Resets `isSuspended` and `holdsSlot`, and returns their old values, so that the caller can reduce the server's
    /// counts. Called when libmicrohttpd calls back for the connection.
    func release() -> (isSuspended: Bool, slot: Bool) {
        state.withLock { state in
            defer { (state.isSuspended, state.holdsSlot) = (false, false) }
            return (state.isSuspended, state.holdsSlot)
        }
    }

    var turn: (weight: Int, since: ContinuousClock.Instant)? {
        state.withLock { $0.turn }
    }

    func enter(_ phase: Phase) {
        state.withLock { $0.phase = phase }
    }

    /// Stores the request's task, so that `abandon()` can cancel it. Cancels it at once if the exchange was abandoned
    /// meanwhile.
    func keep(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            if state.phase.isSuspended { state.task = task }
            if case .abandoned = state.phase { return true }
            return false
        }
        if isAbandoned { task.cancel() }
    }

    /// Stores the application's decision on the request (`Admission`) after a look-up, and resumes the connection. Does
    /// nothing if the exchange was abandoned.
    func found(_ admission: Admission) {
        if leaveSuspension(for: .lookedUp(admission)) { pointer.resume() }
    }

    /// Stores the response and resumes the connection, unless the exchange was abandoned.
    func answer(_ response: HTTPResponse) {
        if leaveSuspension(for: .answered(response)) { pointer.resume() }
    }

    /// Cancels the task and resumes the connection, which is then closed. Called when the response is no longer needed.
    func abandon() {
        if leaveSuspension(for: .abandoned) { pointer.resume() }
    }

    private func leaveSuspension(for phase: Phase) -> Bool {
        let (isMoved, task) = state.withLock { state -> (Bool, Task<Void, Never>?) in
            guard state.phase.isSuspended else { return (false, nil) }
            state.phase = phase
            defer { state.task = nil }
            return (true, state.task)
        }
        if case .abandoned = phase { task?.cancel() }
        return isMoved
    }
}
