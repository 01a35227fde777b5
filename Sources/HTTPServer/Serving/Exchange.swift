internal import Synchronization

/// One request and its response, from the headers to the last byte sent.
///
/// libmicrohttpd holds it in the request's context from the first access callback to the completed callback. Between
/// `suspend` and `resume` a task holds it too; whoever moves it out of `responding` is the one that resumes.
final class Exchange: Sendable {
    /// What the access callback finds when it is called with a whole request.
    enum Phase: Sendable {
        /// The body is arriving. To: refused, responding.
        case receiving
        /// `respond` runs, the connection is suspended. To: answered, abandoned.
        case responding
        /// The response waits to be queued. To: queued.
        case answered(HTTPResponse)
        /// The server stops and nobody waits for the response. Final.
        case abandoned
        /// The server itself answers. To: queued.
        case refused(Problem)
        /// The response is libmicrohttpd's. Final.
        case queued
    }

    let connection: Connection
    let pointer: ConnectionPointer
    let headers: HTTPHeaders
    /// Nil when the headers were refused.
    let head: RequestHead?
    private let state: Mutex<State>

    private struct State {
        var phase: Phase
        var body: [UInt8] = []
        var chargedBytes = 0
        var holdsSlot = false
        var task: Task<Void, Never>?
    }

    init(
        connection: Connection, pointer: ConnectionPointer, headers: HTTPHeaders, head: Result<RequestHead, Problem>
    ) {
        self.connection = connection
        self.pointer = pointer
        self.headers = headers
        switch head {
        case .success(let head):
            self.head = head
            state = Mutex(State(phase: .receiving))
        case .failure(let problem):
            self.head = nil
            state = Mutex(State(phase: .refused(problem)))
        }
    }

    var phase: Phase {
        state.withLock { $0.phase }
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

    /// Counts `bytes` towards what this exchange has taken of the server's buffer budget.
    func charge(_ bytes: Int) {
        state.withLock { $0.chargedBytes += bytes }
    }

    var chargedBytes: Int {
        state.withLock { $0.chargedBytes }
    }

    /// Suspends the connection until `answer` or `abandon`. Only from the access callback.
    func suspend() {
        state.withLock { state in
            state.phase = .responding
            state.holdsSlot = true
            // Under the lock, so that nobody can resume before this; it takes no lock of ours.
            pointer.suspend()
        }
    }

    /// True once for an exchange that was suspended: it is no longer in flight.
    func releaseSlot() -> Bool {
        state.withLock { state in
            defer { state.holdsSlot = false }
            return state.holdsSlot
        }
    }

    func enter(_ phase: Phase) {
        state.withLock { $0.phase = phase }
    }

    /// Keeps what `cancel()` reaches; cancels at once where the exchange was abandoned meanwhile.
    func keep(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            if case .responding = state.phase { state.task = task }
            if case .abandoned = state.phase { return true }
            return false
        }
        if isAbandoned { task.cancel() }
    }

    /// The response is there: resumes the connection, unless the exchange was abandoned.
    func answer(_ response: HTTPResponse) {
        if leaveResponding(for: .answered(response)) { pointer.resume() }
    }

    /// Nobody waits any longer: cancels the task and resumes the connection, which is then closed.
    func abandon() {
        if leaveResponding(for: .abandoned) { pointer.resume() }
    }

    private func leaveResponding(for phase: Phase) -> Bool {
        let (isMoved, task) = state.withLock { state -> (Bool, Task<Void, Never>?) in
            guard case .responding = state.phase else { return (false, nil) }
            state.phase = phase
            defer { state.task = nil }
            return (true, state.task)
        }
        if case .abandoned = phase { task?.cancel() }
        return isMoved
    }
}
