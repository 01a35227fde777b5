internal import Glibc
internal import Synchronization

/// One TCP connection as this target sees it: its phase, the time when the phase began, and its socket, which is used
/// to cut the connection.
///
/// libmicrohttpd's threads change the phases; the thread of `ConnectionWatch` cuts overdue connections. The socket is
/// valid while `isOpen` is true: libmicrohttpd reports the end of a connection before it closes the socket, and both
/// the report and the cutting take the same lock.
final class Connection: Sendable {
    /// The event that a connection waits for. Each phase except `responding` has a time limit of its own.
    enum Phase: Sendable {
        /// Waits for a request line.
        case idle
        /// Waits for the rest of a request.
        case receiving
        /// Waits for the application's response. The server sets no time limit for this.
        case responding
        /// Waits for the client to receive the response.
        case sending
    }

    /// The peer's numeric IP address, without port.
    let remoteAddress: String
    /// The network that the connection is counted under, see `SocketAddress.network`.
    let network: String
    private let socket: CInt
    private let state: Mutex<State>

    fileprivate struct State {
        var phase = Phase.idle
        var since: ContinuousClock.Instant
        var isOpen = true
        var isCut = false
        var gaveWay = false
        var isCounted = true
        /// True if the request that the connection serves now is from an authenticated caller.
        var isAuthenticated = false
        var lingers = false
        var target: [UInt8] = []
    }

    init(socket: CInt, remoteAddress: String, network: String, now: ContinuousClock.Instant) {
        self.socket = socket
        self.remoteAddress = remoteAddress
        self.network = network
        state = Mutex(State(since: now))
    }

    func enter(_ phase: Phase, now: ContinuousClock.Instant = .now) {
        state.withLock {
            $0.phase = phase
            $0.since = now
            if case .idle = phase { $0.isAuthenticated = false }
        }
    }

    /// Marks the current request as one of an authenticated caller, so that its connection is not evicted (closed to
    /// make room for another).
    func authenticate() {
        state.withLock { $0.isAuthenticated = true }
    }

    /// The time since which the connection may be evicted (closed to make room for another). At that time, it began to
    /// wait for a request or to serve an unauthenticated client. `nil` for a connection that must not be evicted.
    var waitingSince: ContinuousClock.Instant? {
        state.withLock { $0.waitingSince }
    }

    /// Evicts the connection (closes it to make room for another) if its `waitingSince` is still `since`.
    ///
    /// - Returns: true if the connection was evicted.
    func giveWay(ifWaitingSince since: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard state.waitingSince == since else { return false }
            state.gaveWay = true
            shutdown(socket, CInt(SHUT_RDWR))
            return true
        }
    }

    /// Excludes the connection from the server's count of open connections. Returns true for the first call only; the
    /// caller must then reduce the count.
    func stopCounting() -> Bool {
        state.withLock { state in
            defer { state.isCounted = false }
            return state.isCounted
        }
    }

    /// Begins a request whose request line has arrived. `target` is kept as it was sent until the headers have arrived.
    func begin(target: [UInt8], now: ContinuousClock.Instant = .now) {
        state.withLock {
            $0.phase = .receiving
            $0.since = now
            $0.target = target
        }
    }

    var target: [UInt8] {
        state.withLock { $0.target }
    }

    /// True if the connection waits for the rest of a request.
    var isReceiving: Bool {
        state.withLock { state in
            if case .receiving = state.phase { true } else { false }
        }
    }

    /// Delays the closing of the socket, so that a peer that is still sending has time to read the response.
    func linger() {
        state.withLock { $0.lingers = true }
    }

    /// Writes `problem` directly to the socket, because libmicrohttpd cannot send a response while a body arrives. The
    /// caller then closes the connection.
    func sendLastWords(_ problem: Problem) {
        state.withLock { $0.sendLastWords(problem, socket: socket) }
    }

    /// Cuts the connection if its phase has lasted too long. In the middle of a request, it first sends the status 408.
    /// A connection that was evicted (closed to make room for another) is cut again, in case its event loop has not
    /// noticed.
    func cut(ifOverdueAt now: ContinuousClock.Instant, limits: HTTPServer.Limits) {
        state.withLock { state in
            if state.isOpen, state.gaveWay {
                shutdown(socket, CInt(SHUT_RDWR))
                return
            }
            guard state.isOpen, let limit = limits.timeout(of: state.phase), now - state.since > limit else { return }
            var direction = CInt(SHUT_RDWR)
            if case .receiving = state.phase {
                if !state.isCut { state.sendLastWords(.timeout, socket: socket) }
                // The loop then reads the end of the stream, and closes.
                direction = CInt(SHUT_RD)
            }
            state.isCut = true
            // Shut down at every tick until the connection is closed: libmicrohttpd takes a short read for an empty
            // socket, and overlooks an end right behind the last bytes. Each call is a new event for libmicrohttpd.
            shutdown(socket, direction)
        }
    }

    /// Marks the socket as closed, as the last call for this connection. Returns a duplicate of the socket if the peer
    /// should have time to finish reading, otherwise `nil`.
    func close() -> CInt? {
        state.withLock { state in
            state.isOpen = false
            guard state.lingers else { return nil }
            let copy = dup(socket)
            return copy < 0 ? nil : copy
        }
    }
}

extension Connection.State {
    fileprivate var waitingSince: ContinuousClock.Instant? {
        if !isOpen || isCut || gaveWay || isAuthenticated { return nil }
        if case .responding = phase { return nil }
        return since
    }

    fileprivate mutating func sendLastWords(_ problem: Problem, socket: CInt) {
        guard isOpen else { return }
        lingers = true
        let bytes = problem.response.lastWords
        // Nothing else is in the send buffer, so it takes these few hundred bytes whole, or the peer has closed.
        let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
        _ = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
    }
}

extension HTTPServer.Limits {
    fileprivate func timeout(of phase: Connection.Phase) -> Duration? {
        switch phase {
        case .idle: idleTimeout
        case .receiving: receiveTimeout
        case .responding: nil
        case .sending: sendTimeout
        }
    }
}
