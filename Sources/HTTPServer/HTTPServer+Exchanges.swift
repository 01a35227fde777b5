internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

// The life cycle of requests, called on the event loops' threads. A Bool result of false closes the connection.
extension HTTPServer {
    /// Creates the exchange (the state of one request and its response) for a request whose headers have arrived.
    func begin(_ raw: OpaquePointer, on loop: EventLoop, line: RequestLine, section: HeaderSection) -> Exchange {
        let head = Result { () throws(Problem) in
            guard mhd_header_size(raw) <= configuration.limits.headersSizeMaxBytes else { throw .headersTooLarge }
            return try RequestHead(line: line, section: section, limits: configuration.limits)
        }
        let exchange = Exchange(
            connection: Connection.from(raw), pointer: ConnectionPointer(raw, loop: loop), headers: section.headers,
            head: head)
        state.withLock { state in
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            state.counts.openRequests += 1
            if exchange.head == nil { state.counts.refusedRequests += 1 }
        }
        return exchange
    }

    /// Performs the next step of a request. Called when the request's headers have arrived, when the request is
    /// complete, and when its connection was resumed. Returns false if the connection must be closed.
    ///
    /// libmicrohttpd closes a connection if the response is sent before the whole request has arrived (microhttpd.h,
    /// MHD_AccessHandlerCallback). To keep the connection open, a request without a body is handled only when it is
    /// complete. A request whose head is refused is answered at once: its connection must be closed anyway, because the
    /// server does not know where the request ends.
    func proceed(_ exchange: Exchange, on raw: OpaquePointer) -> Bool {
        release(exchange)
        switch exchange.phase {
        case .arrived:
            guard let head = exchange.head else { preconditionFailure("a refused request is answered") }
            return follow(admit(head.request(on: exchange.connection)), of: exchange, on: raw)
        case .lookedUp(let admission): return follow(admission, of: exchange, on: raw)
        case .receiving: return takeTurn(for: exchange, raw)
        case .answered(let response):
            if exchange.isAnsweredBeforeBody, exchange.account == nil { exchange.connection.linger() }
            return send(response, for: exchange, on: raw)
        case .abandoned: return false
        case .lookingUp, .responding, .queued: return true
        }
    }

    /// Updates the counts of suspended connections and of requests in flight. Called when libmicrohttpd calls back for
    /// a resumed connection, even if the connection turns out to be lost.
    private func release(_ exchange: Exchange) {
        let (isSuspended, slot) = exchange.release()
        guard isSuspended else { return }
        state.withLock { state in
            state.suspendedCount -= 1
            if slot, let holder = exchange.account?.holder { state.requests.giveBack(1, for: holder) }
        }
    }

    private func follow(_ admission: Admission, of exchange: Exchange, on raw: OpaquePointer) -> Bool {
        switch admission {
        case .answer(let response):
            exchange.enter(.answered(response))
            return proceed(exchange, on: raw)
        case .admit(let holder, let respond):
            if holder == nil, exchange.declaresBody { return refuse(exchange, .bodyNotTaken, on: raw) }
            if holder != nil { exchange.connection.authenticate() }
            exchange.open(
                Exchange.Account(
                    holder: holder ?? Holder(network: exchange.connection.network), respond: respond))
            if exchange.declaresBody {
                exchange.connection.enter(.receiving)
                return true
            }
            return takeTurn(for: exchange, raw)
        case .lookUp(let look):
            let isClosed = state.withLock { state in
                if state.stage == .closed { return true }
                state.suspendedCount += 1
                return false
            }
            if isClosed { return false }
            exchange.connection.enter(.responding)
            exchange.suspendForLookUp()
            exchange.keep(Task(executorPreference: exchange.pointer.loop) { exchange.found(await look()) })
            abandonIfClosed(exchange)
            return true
        }
    }

    /// Answers a request with one of the server's own problems (error responses). Returns false if the connection must
    /// be closed.
    private func refuse(_ exchange: Exchange, _ problem: Problem, on raw: OpaquePointer) -> Bool {
        state.withLock { $0.counts.refusedRequests += 1 }
        exchange.enter(.answered(problem.response))
        return proceed(exchange, on: raw)
    }

    /// Receives a part of a request's body. Returns false if the connection must be closed, because the body is not
    /// admitted or exceeds a limit.
    func receive(_ part: UnsafeRawBufferPointer, for exchange: Exchange) -> Bool {
        guard case .receiving = exchange.phase else { return false }
        let limits = configuration.limits
        if let problem = reserve(part.count, for: exchange) { return cut(exchange, with: problem) }
        let room = min(exchange.head?.declaredSizeBytes ?? 0, ContentCoding.chunkSizeBytes)
        guard exchange.append(part, reserving: room) <= limits.bodySizeMaxBytes else {
            return cut(exchange, with: .tooLarge("The limit is \(limits.bodySizeMaxBytes) bytes."))
        }
        return true
    }

    /// Sends an error response while the request's body still arrives. Returns false, so that the connection is closed.
    /// The bytes are written directly to the socket, because libmicrohttpd cannot queue a response during the upload.
    private func cut(_ exchange: Exchange, with problem: Problem) -> Bool {
        state.withLock { $0.counts.refusedRequests += 1 }
        exchange.connection.sendLastWords(problem)
        return false
    }

    /// Counts `bytes` of a body towards the memory that the request's holder (the party that it is charged to) and all
    /// holders together may use. Returns `nil`, or the problem to answer with if a limit would be exceeded.
    func reserve(_ bytes: Int, for exchange: Exchange) -> Problem? {
        guard let holder = exchange.account?.holder else { preconditionFailure("only who is admitted sends a body") }
        if let excess = state.withLock({ $0.bytes.take(bytes, for: holder) }) {
            return .tooManyBytes(excess, configuration.limits)
        }
        exchange.charge(bytes)
        return nil
    }

    /// Suspends the connection of a complete request until the answer. The request runs at once, or waits until its
    /// holder (the party that it is charged to) has few enough requests running. Refuses the request if too many are in
    /// flight. Returns false if the connection must be closed.
    private func takeTurn(for exchange: Exchange, _ raw: OpaquePointer) -> Bool {
        guard let holder = exchange.account?.holder else { preconditionFailure("only who is admitted is worked for") }
        let weight = exchange.isShort ? 1 : configuration.limits.longRequestWeight
        let (isClosed, excess) = state.withLock { state -> (Bool, FairShare<Holder>.Excess?) in
            if state.stage == .closed { return (true, nil) }
            if let excess = state.requests.take(1, for: holder) { return (false, excess) }
            state.suspendedCount += 1
            return (false, nil)
        }
        if isClosed { return false }
        if let excess { return refuse(exchange, .tooManyRequests(excess, configuration.limits), on: raw) }
        exchange.connection.enter(.responding)
        exchange.suspendForTurn(weight: weight)
        if state.withLock({ $0.turns.enter(exchange, weight: weight, for: holder) }) { startResponding(in: exchange) }
        abandonIfClosed(exchange)
        return true
    }

    /// Abandons the request if the server is closed. Call this after the connection was suspended. If the server closes
    /// at the same time, either this call or `shutDown` then finds the suspended request.
    private func abandonIfClosed(_ exchange: Exchange) {
        if state.withLock({ $0.stage == .closed }) { exchange.abandon() }
    }

    private func send(_ response: HTTPResponse, for exchange: Exchange, on raw: OpaquePointer) -> Bool {
        exchange.enter(.queued)
        var response = response
        let isDraining = state.withLock { $0.stage != .running }
        if isDraining { response.headers["Connection"] = "close" }
        switch response.body {
        case .bytes(let bytes):
            if let problem = hold(answerOf: bytes.count, for: exchange) {
                return send(problem.response, for: exchange, on: raw)
            }
            guard let outgoing = OutgoingResponse(bytes: bytes) else { return false }
            exchange.connection.enter(.sending)
            if outgoing.add(response.headers) { return outgoing.queue(status: response.status, on: raw) }
        case .stream(let body):
            if exchange.head?.method == .head {
                response.body = .bytes([])
                return send(response, for: exchange, on: raw)
            }
            if let head = response.streamHead { return stream(body, after: head, for: exchange, on: raw) }
        }
        return send(Problem.unsendable.response, for: exchange, on: raw)
    }

    /// Counts a large response towards the memory of the request's holder (the party that it is charged to), in place
    /// of the request's body. The response counts until the client has received it. Returns `nil`, or the problem to
    /// answer with if a limit would be exceeded.
    private func hold(answerOf bytes: Int, for exchange: Exchange) -> Problem? {
        guard bytes > EventLoop.shortSizeMaxBytes, let holder = exchange.account?.holder else { return nil }
        let body = exchange.giveBackCharge()
        let excess = state.withLock { state in
            state.bytes.giveBack(body, for: holder)
            return state.bytes.take(bytes, for: holder)
        }
        if let excess {
            state.withLock { $0.counts.refusedRequests += 1 }
            return .tooManyUnread(excess, configuration.limits)
        }
        exchange.charge(bytes)
        return nil
    }

    /// Starts a streaming response on a duplicate of the connection's socket. Then returns false, so that libmicrohttpd
    /// closes its own descriptor, while the duplicate stays open. Further requests that the client has sent on the
    /// connection are not answered.
    private func stream(
        _ body: HTTPBodyStream, after head: [UInt8], for exchange: Exchange, on raw: OpaquePointer
    ) -> Bool {
        guard let holder = exchange.account?.holder else { preconditionFailure("only who is admitted gets a stream") }
        var excess = streams.reserve(for: holder)
        if excess == nil {
            let socket = fcntl(mhd_socket(raw), F_DUPFD_CLOEXEC, 0)
            if socket >= 0 {
                streams.take(OutgoingStream(socket: socket, holder: holder, head: head, body: body))
                return false
            }
            streams.giveUp(for: holder)
            excess = .limit
        }
        state.withLock { $0.counts.refusedRequests += 1 }
        let problem = Problem.tooManyStreams(excess ?? .limit, configuration.limits)
        return send(problem.response, for: exchange, on: raw)
    }

    /// Cleans up after a request: called when its response was sent, or its connection was lost.
    func completed(_ exchange: Exchange) {
        release(exchange)
        exchange.connection.enter(.idle)
        state.withLock { state in
            if let holder = exchange.account?.holder { state.bytes.giveBack(exchange.chargedBytes, for: holder) }
            state.exchanges[ObjectIdentifier(exchange)] = nil
            state.counts.openRequests -= 1
        }
    }
}
