internal import Synchronization

/// One request and its response, from the headers to the last byte sent.
///
/// libmicrohttpd holds it in the request's context from the first access callback to the completed callback. Between
/// `suspend` and `resume` a task holds it too; whoever moves it out of the suspended phase is the one that resumes.
final class Exchange: Sendable {
    /// What the access callback finds when it is called.
    enum Phase: Sendable {
        /// The headers are there, and nobody has asked yet what to make of them. To: lookingUp, receiving, answered.
        case arrived
        /// A task finds out who sends it, the connection is suspended. To: lookedUp, abandoned.
        case lookingUp
        /// That is known. To: receiving, answered.
        case lookedUp(Admission)
        /// It is admitted, and the body, if there is one, is arriving. To: responding, answered.
        case receiving
        /// It waits for its turn, or `respond` runs; the connection is suspended. To: answered, abandoned.
        case responding
        /// The response waits to be queued. To: queued.
        case answered(HTTPResponse)
        /// The server stops and nobody waits for the response. Final.
        case abandoned
        /// The response is libmicrohttpd's. Final.
        case queued

        fileprivate var isSuspended: Bool {
            switch self {
            case .lookingUp, .responding: true
            default: false
            }
        }
    }

    /// What an admitted request is worked on with.
    struct Account: Sendable {
        let holder: Holder
        let respond: @Sendable (HTTPRequest) async -> HTTPResponse
    }

    let connection: Connection
    let pointer: ConnectionPointer
    /// Nil when the headers were refused.
    let head: RequestHead?
    /// Whether a body follows: an answer before it costs the connection.
    let declaresBody: Bool

    /// Whether it is asked about as soon as its headers are there: what follows must wait, or is not to be read.
    var isAnsweredBeforeBody: Bool { declaresBody || head == nil }

    private let state: Mutex<State>

    private struct State {
        var phase: Phase
        var account: Account?
        var body: [UInt8] = []
        var chargedBytes = 0
        /// Whether the connection was suspended, and not seen since.
        var isSuspended = false
        /// Whether that was for `respond`.
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
            // Nothing behind it may be taken for another request.
            problem.headers["Connection"] = "close"
            state = Mutex(State(phase: .answered(problem.response)))
        }
    }

    var phase: Phase {
        state.withLock { $0.phase }
    }

    /// Nil until it is admitted.
    var account: Account? {
        state.withLock { $0.account }
    }

    /// Its body may come, on this account.
    func admit(_ account: Account) {
        state.withLock { state in
            state.account = account
            state.phase = .receiving
        }
    }

    /// Appends a part of the body; gives the size so far.
    func append(_ part: UnsafeRawBufferPointer, reserving capacity: Int) -> Int {
        state.withLock { state in
            if state.body.isEmpty { state.body.reserveCapacity(capacity) }
            state.body.append(contentsOf: part)
            return state.body.count
        }
    }

    /// The body, given away.
    func takeBody() -> [UInt8] {
        state.withLock { state in
            let body = state.body
            state.body = []
            return body
        }
    }

    /// Whether the request brings so little that answering it does not keep other connections of its loop waiting.
    /// What is compressed may become much.
    var isShort: Bool {
        head?.coding == nil && state.withLock { $0.body.count <= EventLoop.shortSizeMaxBytes }
    }

    /// Counts `bytes` towards what this exchange has taken of its holder's share.
    func charge(_ bytes: Int) {
        state.withLock { $0.chargedBytes += bytes }
    }

    /// What it had taken, which counts no longer.
    func giveBackCharge() -> Int {
        state.withLock { state in
            defer { state.chargedBytes = 0 }
            return state.chargedBytes
        }
    }

    var chargedBytes: Int {
        state.withLock { $0.chargedBytes }
    }

    /// Suspends the connection until somebody finds out who sends the request, or abandons it. Only from the access
    /// callback.
    func suspendForLookUp() {
        suspend { $0.phase = .lookingUp }
    }

    /// Suspends the connection until `answer` or `abandon`. Only from the access callback.
    ///
    /// - Parameter weight: of its turn.
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
            // Under the lock, so that nobody can resume before this; it takes no lock of ours.
            pointer.suspend()
        }
    }

    /// What an exchange that was suspended is no longer counted as, once it is seen again.
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

    /// Keeps what `cancel()` reaches; cancels at once where the exchange was abandoned meanwhile.
    func keep(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            if state.phase.isSuspended { state.task = task }
            if case .abandoned = state.phase { return true }
            return false
        }
        if isAbandoned { task.cancel() }
    }

    /// It is known who sends the request: resumes the connection, unless the exchange was abandoned.
    func found(_ admission: Admission) {
        if leaveSuspension(for: .lookedUp(admission)) { pointer.resume() }
    }

    /// The response is there: resumes the connection, unless the exchange was abandoned.
    func answer(_ response: HTTPResponse) {
        if leaveSuspension(for: .answered(response)) { pointer.resume() }
    }

    /// Nobody waits any longer: cancels the task and resumes the connection, which is then closed.
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
