internal import Glibc
internal import Synchronization

/// One TCP connection as this target sees it: which phase it is in, since when, and the socket to cut it by.
///
/// libmicrohttpd's threads move the phases; the watch's thread cuts what is overdue. The socket is valid while
/// `isOpen`: the closed notification comes before libmicrohttpd closes it, and takes the same lock.
final class Connection: Sendable {
    /// What the connection waits for; each has its own time limit.
    enum Phase: Sendable {
        /// For a request line.
        case idle
        /// For the rest of a request.
        case receiving
        /// For `respond`: no limit of ours.
        case responding
        /// For the client to take the response.
        case sending
    }

    /// Numeric, without port.
    let remoteAddress: String
    /// What the connection is counted under, see `SocketAddress.network`.
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
        /// Whether the request under way is of somebody known.
        var isAdmitted = false
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
            if case .idle = phase { $0.isAdmitted = false }
        }
    }

    /// The request under way is of somebody known.
    func admit() {
        state.withLock { $0.isAdmitted = true }
    }

    /// Since when it waits for a request, or is used by somebody unknown; nil for a connection that is not to give way.
    var waitingSince: ContinuousClock.Instant? {
        state.withLock { $0.waitingSince }
    }

    /// Closes it, if it has been waiting since `since` and still does.
    ///
    /// - Returns: whether it did.
    func giveWay(ifWaitingSince since: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard state.waitingSince == since else { return false }
            state.gaveWay = true
            shutdown(socket, CInt(SHUT_RDWR))
            return true
        }
    }

    /// True for the first call: from then on it is not among the connections that are counted.
    func stopCounting() -> Bool {
        state.withLock { state in
            defer { state.isCounted = false }
            return state.isCounted
        }
    }

    /// A request line came; `target` is kept as sent until the headers are there.
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

    /// Whether it waits for the rest of a request.
    var isReceiving: Bool {
        state.withLock { state in
            if case .receiving = state.phase { true } else { false }
        }
    }

    /// After the close the peer is given time to read what was sent, although it is still sending itself.
    func linger() {
        state.withLock { $0.lingers = true }
    }

    /// Sends `problem` past libmicrohttpd, which cannot answer while a body arrives and has nothing to send itself.
    /// The caller then closes the connection.
    func sendLastWords(_ problem: Problem) {
        state.withLock { $0.sendLastWords(problem, socket: socket) }
    }

    /// Cuts the connection if it is overdue: with 408 in the middle of a request, without a word otherwise. One that
    /// gave way is cut once more, in case its loop has overlooked that.
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
            // At every tick until it is closed: libmicrohttpd takes a short read for an empty socket, and overlooks
            // the end that came right behind the last bytes. Each call is a new event to it.
            shutdown(socket, direction)
        }
    }

    /// The last call: the socket is closed when this returns. Gives a duplicate of it if the peer should be let finish.
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
        if !isOpen || isCut || gaveWay || isAdmitted { return nil }
        if case .responding = phase { return nil }
        return since
    }

    fileprivate mutating func sendLastWords(_ problem: Problem, socket: CInt) {
        guard isOpen else { return }
        lingers = true
        let bytes = problem.response.lastWords
        // Nothing else is in the send buffer, so it takes these few hundred bytes whole or the peer is gone.
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
