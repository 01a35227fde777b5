internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

// The life of connections and requests, called on the event loops' threads. A Bool result says whether to go on; false
// closes the connection.
extension HTTPServer {
    func accepts(_ address: UnsafePointer<sockaddr>?) -> Bool {
        let limits = configuration.limits
        let peer = limits.connectionsPerAddressMax == nil ? "" : SocketAddress.text(of: address)
        return state.withLock { state in
            if state.stage == .running, state.counts.openConnections < limits.connectionsMax,
                state.connectionsByAddress[peer, default: 0] < limits.connectionsPerAddressMax ?? .max
            {
                return true
            }
            state.counts.refusedConnections += 1
            return false
        }
    }

    /// Gives the context to keep: a retained `Connection`.
    func opened(_ raw: OpaquePointer) -> UnsafeMutableRawPointer {
        let connection = Connection(
            socket: mhd_socket(raw), remoteAddress: SocketAddress.text(of: mhd_peer(raw)), now: .now)
        state.withLock { state in
            state.counts.openConnections += 1
            state.connectionsByAddress[connection.remoteAddress, default: 0] += 1
        }
        watch.add(connection)
        return Unmanaged.passRetained(connection).toOpaque()
    }

    func closed(_ connection: Connection) {
        watch.remove(connection)
        if let socket = connection.close() { watch.drain(socket) }
        state.withLock { state in
            state.counts.openConnections -= 1
            let count = state.connectionsByAddress[connection.remoteAddress, default: 1] - 1
            state.connectionsByAddress[connection.remoteAddress] = count == 0 ? nil : count
        }
    }

    /// The headers are there.
    func begin(_ raw: OpaquePointer, on loop: EventLoop, line: RequestLine) -> Exchange {
        let headers = HTTPHeaders(of: raw)
        let head = Result { () throws(Problem) in
            guard mhd_header_size(raw) <= configuration.limits.headersSizeMaxBytes else { throw .headersTooLarge }
            return try RequestHead(line: line, headers: headers, limits: configuration.limits)
        }
        let exchange = Exchange(
            connection: Connection.from(raw), pointer: ConnectionPointer(raw, loop: loop), headers: headers, head: head)
        state.withLock { state in
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            state.counts.openRequests += 1
        }
        return exchange
    }

    /// Refuses before the body is read, which costs the connection: "If response is provided before request is fully
    /// received, the rest of the request is discarded and connection is automatically closed after sending response"
    /// (microhttpd.h, MHD_AccessHandlerCallback). Without a body the refusal waits for the end of the request instead.
    func proceedEarly(_ exchange: Exchange, on raw: OpaquePointer) -> Bool {
        guard RequestHead.declaresBody(exchange.headers), case .refused = exchange.phase else { return true }
        exchange.connection.linger()
        return proceed(exchange, on: raw)
    }

    /// Takes a part of the body.
    func receive(_ part: UnsafeRawBufferPointer, for exchange: Exchange) -> Bool {
        guard case .receiving = exchange.phase else { return false }
        let limits = configuration.limits
        guard reserve(part.count, for: exchange) else { return refuse(exchange, with: .overloaded) }
        let room = min(exchange.head?.declaredSizeBytes ?? 0, ContentCoding.chunkSizeBytes)
        guard exchange.append(part, reserving: room) <= limits.bodySizeMaxBytes else {
            return refuse(exchange, with: .tooLarge("The limit is \(limits.bodySizeMaxBytes) bytes."))
        }
        return true
    }

    /// "The response cannot be queued when this callback is called to process the client upload data", so it is sent
    /// past the library and the connection closed.
    private func refuse(_ exchange: Exchange, with problem: Problem) -> Bool {
        state.withLock { $0.counts.refusedRequests += 1 }
        exchange.connection.sendLastWords(problem)
        return false
    }

    /// False when the server holds as many bytes of bodies as it may.
    func reserve(_ bytes: Int, for exchange: Exchange) -> Bool {
        exchange.charge(bytes)
        return bufferedBytes.add(bytes, ordering: .relaxed).newValue <= configuration.limits.bufferedSizeMaxBytes
    }

    /// The request is whole, or its connection was resumed.
    func proceed(_ exchange: Exchange, on raw: OpaquePointer) -> Bool {
        releaseSlot(of: exchange)
        switch exchange.phase {
        case .receiving:
            return admit(exchange, on: raw)
        case .refused(let problem):
            state.withLock { $0.counts.refusedRequests += 1 }
            return send(problem.response, for: exchange, on: raw)
        case .answered(let response):
            return send(response, for: exchange, on: raw)
        case .abandoned:
            return false
        case .responding, .queued:
            return true
        }
    }

    /// Runs when a resumed connection is seen again, which may be only to find it lost.
    private func releaseSlot(of exchange: Exchange) {
        if exchange.releaseSlot() { state.withLock { $0.counts.inFlight -= 1 } }
    }

    private func admit(_ exchange: Exchange, on raw: OpaquePointer) -> Bool {
        let isAdmitted = state.withLock { state -> Bool? in
            if state.stage == .closed { return nil }
            guard state.counts.inFlight < configuration.limits.inFlightMax else { return false }
            state.counts.inFlight += 1
            return true
        }
        guard let isAdmitted else { return false }
        guard isAdmitted else {
            exchange.enter(.refused(.overloaded))
            return proceed(exchange, on: raw)
        }
        exchange.connection.enter(.responding)
        exchange.suspend()
        let executor = exchange.isShort ? exchange.pointer.loop : nil
        exchange.keep(Task(executorPreference: executor) { exchange.answer(await self.answer(to: exchange)) })
        // Once it is suspended: either this or `shutDown` sees both the stage and the exchange.
        if state.withLock({ $0.stage == .closed }) { exchange.abandon() }
        return true
    }

    private func send(_ response: HTTPResponse, for exchange: Exchange, on raw: OpaquePointer) -> Bool {
        exchange.enter(.queued)
        var response = response
        let isDraining = state.withLock { $0.stage != .running }
        if isDraining { response.headers["Connection"] = "close" }
        switch response.body {
        case .bytes(let bytes):
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

    /// Takes the socket over: false, which closes libmicrohttpd's connection but not our duplicate of its descriptor.
    /// What the client may have sent behind its request is not answered; the headers tell it so.
    private func stream(
        _ body: HTTPBodyStream, after head: [UInt8], for exchange: Exchange, on raw: OpaquePointer
    ) -> Bool {
        let isRoom = streams.reserve()
        let socket = isRoom ? fcntl(mhd_socket(raw), F_DUPFD_CLOEXEC, 0) : -1
        guard socket >= 0 else {
            if isRoom { streams.giveUp() }
            state.withLock { $0.counts.refusedRequests += 1 }
            return send(Problem.tooManyStreams.response, for: exchange, on: raw)
        }
        streams.take(OutgoingStream(socket: socket, head: head, body: body))
        return false
    }

    /// The response is out, or the connection was lost on the way.
    func completed(_ exchange: Exchange) {
        releaseSlot(of: exchange)
        bufferedBytes.subtract(exchange.chargedBytes, ordering: .relaxed)
        exchange.connection.enter(.idle)
        state.withLock { state in
            state.exchanges[ObjectIdentifier(exchange)] = nil
            state.counts.openRequests -= 1
        }
    }
}
