internal import Glibc
internal import Synchronization

/// An HTTP/1.1 server, built on libmicrohttpd. Event loops read and write the sockets, and a Swift task answers each
/// request. The task of a short request runs on the event loop's own thread.
///
/// For each request, the application first decides on the headers alone (`Admission`). Either it answers at once, or it
/// names the holder (the party that the rest of the request is charged to). In the second case, the server receives and
/// decompresses the body, and then a task answers the complete request. While the task waits, the connection is
/// suspended and uses no thread.
///
/// No holder can use up the server. Each holder has only a share of every limit (`FairShare`), and a holder's requests
/// wait for one another (`Turns`).
///
/// The server's own error responses are `application/problem+json` (`Problem`). libmicrohttpd itself answers a
/// malformed request line, and headers that exceed its memory. Those two responses are HTML.
///
/// Reading order: `start`, `EventLoop`, `Admission`, `HTTPServer+Exchanges`, `Exchange`, `HTTPServer+Answer`;
/// `HTTPServer+Connections`, `Connection`, `ConnectionWatch`; `HTTPBodyStream`, `StreamLoop`, `StreamWriter`.
package final class HTTPServer: Sendable {
    let configuration: Configuration
    let admit: @Sendable (HTTPRequest) -> Admission
    let watch: ConnectionWatch
    let streams: StreamLoop
    let state: Mutex<State>
    /// The port that the server listens on.
    package let port: Int
    private let listener: Mutex<ListeningSocket?>
    private let running = Mutex(Running())

    struct State {
        var stage = Stage.running
        var counts = Counts()
        /// The number of open connections of each network, without the evicted connections, which are about to be
        /// closed.
        var connections: FairShare<String>
        /// The bytes in memory of each holder (the party that requests are charged to): the bodies of its requests, and
        /// the large responses to them.
        var bytes: FairShare<Holder>
        /// The number of requests in flight of each holder (the party that requests are charged to).
        var requests: FairShare<Holder>
        var turns: Turns<Exchange>
        /// The number of suspended connections. A resumed connection counts until libmicrohttpd calls back for it.
        var suspendedCount = 0
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var stopWaiters: [CheckedContinuation<Void, Never>] = []

        init(_ limits: Limits) {
            connections = FairShare(limit: limits.connectionsMax, share: limits.connectionsPerAddressMax ?? .max)
            bytes = FairShare(limit: limits.bufferedSizeMaxBytes, share: limits.bufferedPerHolderMaxBytes)
            requests = FairShare(limit: limits.inFlightMax, share: limits.inFlightPerHolderMax)
            turns = Turns(
                weightMax: limits.turnsPerHolderMax, sharedWeightMax: limits.sharedTurnsPerHolderMax)
        }
    }

    private struct Running {
        var loops: [EventLoop] = []
        var threads: [Thread] = []
    }

    enum Stage {
        /// Accepts connections. The next stage is `draining`.
        case running
        /// Accepts no new connection, and closes each connection after its response. The next stage is `closed`.
        case draining
        /// Answers no request any more. The next stage is `stopped`.
        case closed
        /// Every socket is closed. This is the last stage.
        case stopped
    }

    private init(
        _ configuration: Configuration, listener: ListeningSocket,
        admit: @escaping @Sendable (HTTPRequest) -> Admission
    ) {
        port = listener.port
        self.listener = Mutex(listener)
        self.configuration = configuration
        self.admit = admit
        state = Mutex(State(configuration.limits))
        watch = ConnectionWatch(limits: configuration.limits)
        streams = StreamLoop(limits: configuration.limits)
    }

    /// Returns true if `text` is a numeric IPv4 or IPv6 address, such as `127.0.0.1` or `::1`.
    package static func isAddress(_ text: String) -> Bool {
        !text.utf8.contains(0) && SocketAddress(text, port: 0) != nil
    }

    /// Checks that a server could listen on the address and port now. Use it to fail early, before long work that
    /// precedes `start`.
    ///
    /// - Throws: `.invalidAddress`, or `.cannotListen` with `errno`.
    package static func check(address: String, port: Int) throws(HTTPServerError) {
        try ListeningSocket.check(address: address, port: port)
    }

    /// Starts a server, which listens and answers requests as `admit` decides, until `stop()` is called. The server
    /// keeps itself alive until then.
    ///
    /// - Parameter admit: called for each request, without the body. It runs on the event loops' threads, and other
    ///   connections wait meanwhile. So work of more than some microseconds belongs in a look-up (`Admission`).
    /// - Throws: `.invalidAddress`, or `.cannotListen` with `errno`.
    package static func start(
        _ configuration: Configuration = Configuration(),
        admit: @escaping @Sendable (HTTPRequest) -> Admission
    ) throws(HTTPServerError) -> HTTPServer {
        let listener = try ListeningSocket(address: configuration.address, port: configuration.port)
        let server = HTTPServer(configuration, listener: listener, admit: admit)
        var loops: [EventLoop] = []
        for _ in 0..<max(1, configuration.threads) {
            loops.append(try EventLoop(server: server, listener: listener))
        }
        let (watch, streams) = (server.watch, server.streams)
        let threads =
            loops.map { loop in Thread.start { loop.run() } }
            + [Thread.start { watch.run() }, Thread.start { streams.run() }]
        server.running.withLock { $0 = Running(loops: loops, threads: threads) }
        return server
    }

    /// A snapshot of the counts. It is consistent except for the number of streams, which is read separately.
    package var counts: Counts {
        var counts = state.withLock { state in
            var counts = state.counts
            counts.inFlight = state.requests.taken
            counts.bufferedBytes = state.bytes.taken
            return counts
        }
        counts.openStreams = streams.count
        return counts
    }

    /// Stops gracefully, and returns when every socket is closed; further calls wait for the first.
    ///
    /// New connections are refused at once and streams are ended. Requests in flight get `Limits.stopGrace` to finish,
    /// then their tasks are cancelled and their connections closed. Tasks that ignore the cancellation run on, and
    /// their responses are dropped.
    package func stop() async {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state -> Bool? in
                switch state.stage {
                case .stopped: return nil
                case .draining, .closed:
                    state.stopWaiters.append(continuation)
                    return false
                case .running:
                    state.stopWaiters.append(continuation)
                    state.stage = .draining
                    return true
                }
            }
            guard let isFirst else { return continuation.resume() }
            // In a thread, because joining the threads blocks.
            if isFirst { Thread.start { self.shutDown() }.detach() }
        }
    }

    private func shutDown() {
        let running = running.withLock { $0 }
        for loop in running.loops { loop.quiesce() }
        listener.withLock { $0?.refuse() }
        streams.stop()
        wait(atMost: configuration.limits.stopGrace) { $0.exchanges.isEmpty }

        state.withLock { $0.stage = .closed }
        for exchange in exchanges { exchange.abandon() }
        // "You must explicitly resume all connections before stopping the daemon": done; this lets the loops see it.
        wait(atMost: .seconds(1)) { $0.suspendedCount == 0 }
        for loop in running.loops { loop.stop() }
        watch.stop()
        for thread in running.threads { thread.join() }
        self.running.withLock { $0 = Running() }
        listener.withLock { $0 = nil }

        let waiters = state.withLock { state in
            state.stage = .stopped
            defer { state.stopWaiters = [] }
            return state.stopWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private var exchanges: [Exchange] {
        state.withLock { Array($0.exchanges.values) }
    }

    /// Blocks this thread until `isDone` returns true, or until `limit` has passed. Checks every two milliseconds.
    private func wait(atMost limit: Duration, until isDone: (borrowing State) -> Bool) {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline, !state.withLock({ isDone($0) }) {
            usleep(2000)
        }
    }
}
