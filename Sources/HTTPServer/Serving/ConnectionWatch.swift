internal import Glibc
internal import Synchronization

/// A thread that cuts connections whose time limits are over, and drains connections that were closed while their peer
/// was sending. The class also chooses the connection to evict (close to make room for another) when there are too
/// many.
///
/// Draining is needed because closing a socket with unread bytes resets the connection. The peer would then lose the
/// error response that it has not read yet (RFC 9112 section 9.6). So the server closes the sending side first, and
/// reads the rest for a short while.
final class ConnectionWatch: Sendable {
    // Long enough for a round trip and a half-sent body to stop; short enough not to be worth attacking.
    private static let lingerTimeout: Duration = .seconds(2)
    // Sockets drained at once; over it a closed connection is reset at once, as if there were no draining.
    private static let lingeringMax = 256
    // A deadline is late by at most about a tenth, and the scan of a few thousand connections costs next to nothing.
    private static let tickMin: Duration = .milliseconds(5)
    private static let tickMax: Duration = .milliseconds(250)
    // The number of candidates found by one scan of all connections, so that a flood of new ones does not cost a scan
    // each.
    fileprivate static let candidatesMax = 64
    // The number of networks remembered; beyond it all are forgotten, which costs a scan each.
    private static let searchesMax = 1_000
    // The pause after a scan without a result: so at most a few hundred microseconds of each ten milliseconds go into
    // scans.
    private static let searchPause: Duration = .milliseconds(10)

    private let limits: HTTPServer.Limits
    private let waker = Waker()
    private let state = Mutex(State())

    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// The latest search for connections to evict (close to make room for others) in each network. The key `nil`
        /// stands for the search in all networks.
        var searches: [String?: Search] = [:]
        var lingering: [Lingering] = []
        var isStopping = false
    }

    fileprivate struct Lingering {
        let socket: CInt
        let until: ContinuousClock.Instant
    }

    /// The result of one scan of all connections for those that may be evicted (closed to make room for others).
    fileprivate struct Search {
        /// The connections to evict (close to make room for others), each with the time since which it waits. They are
        /// evicted from the end of the array.
        var candidates: [(connection: Connection, since: ContinuousClock.Instant)] = []
        /// The earliest time of the next scan of the connections.
        var next: ContinuousClock.Instant

        mutating func closeFirst() -> Connection? {
            while let (connection, since) = candidates.popLast() {
                if connection.giveWay(ifWaitingSince: since) { return connection }
            }
            return nil
        }
    }

    init(limits: HTTPServer.Limits) {
        self.limits = limits
    }

    /// Evicts a connection (closes it to make room for another): the one of `network` that has waited longest. If
    /// `network` is `nil`, takes the network with the most connections.
    ///
    /// - Returns: the evicted connection; `nil` if no connection may be evicted. The event loop of the evicted
    ///   connection has not noticed the eviction yet.
    func evict(from network: String?, now: ContinuousClock.Instant = .now) -> Connection? {
        state.withLock { state in
            if state.searches.count > Self.searchesMax { state.searches = [:] }
            var search = state.searches[network] ?? Search(next: now)
            defer { state.searches[network] = search }
            if let connection = search.closeFirst() { return connection }
            guard now >= search.next else { return nil }
            search.candidates = state.candidates(in: network)
            if search.candidates.isEmpty { search.next = now + Self.searchPause }
            return search.closeFirst()
        }
    }

    /// The number of connections that have sent a request line and not yet the rest of their request.
    var receivingConnections: Int {
        state.withLock { state in state.connections.values.count { $0.isReceiving } }
    }

    func add(_ connection: Connection) {
        state.withLock { _ = $0.connections.updateValue(connection, forKey: ObjectIdentifier(connection)) }
    }

    func remove(_ connection: Connection) {
        state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Takes ownership of `socket`, reads until the peer has finished or `lingerTimeout` has passed, and then closes
    /// it.
    func drain(_ socket: CInt) {
        shutdown(socket, CInt(SHUT_WR))
        let entry = Lingering(socket: socket, until: .now + Self.lingerTimeout)
        let isTaken = state.withLock { state in
            guard !state.isStopping, state.lingering.count < Self.lingeringMax else { return false }
            state.lingering.append(entry)
            return true
        }
        if isTaken { waker.signal() } else { Glibc.close(socket) }
    }

    /// Makes `run()` return.
    func stop() {
        state.withLock { $0.isStopping = true }
        waker.signal()
    }

    /// Runs the thread's loop. Returns after `stop()`, once every drained socket is closed.
    func run() {
        let shortest = min(limits.idleTimeout, limits.receiveTimeout, limits.sendTimeout)
        let tick = min(max(shortest / 10, Self.tickMin), Self.tickMax)
        var lingering: [Lingering] = []
        while true {
            waitForReading(lingering.map(\.socket), atMost: tick)
            let (connections, isStopping) = state.withLock { state in
                lingering += state.lingering
                state.lingering = []
                return (Array(state.connections.values), state.isStopping)
            }
            let now = ContinuousClock.now
            for connection in connections { connection.cut(ifOverdueAt: now, limits: limits) }
            lingering = lingering.filter { entry in
                if !isStopping && now < entry.until && Self.canReadMore(entry.socket) { return true }
                Glibc.close(entry.socket)
                return false
            }
            if isStopping { return }
        }
    }

    private func waitForReading(_ sockets: [CInt], atMost timeout: Duration) {
        var entries = ([waker.descriptor] + sockets).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if waker.fallAsleep() { poll(&entries, nfds_t(entries.count), CInt(timeout.milliseconds)) }
        waker.wakeUp(isReadable: entries[0].revents != 0)
    }

    /// Reads and discards the bytes received so far. Returns true if more may come; false at the end of the stream or
    /// on an error.
    private static func canReadMore(_ socket: CInt) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 1) { buffer in
            let count = recv(socket, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
        }
    }
}

extension ConnectionWatch.State {
    /// Returns the connections that may be evicted (closed to make room for others), each with the time since which it
    /// waits. The one that has waited longest is the last. If `network` is `nil`, they are the connections of the
    /// network that has the most.
    fileprivate func candidates(
        in network: String?
    ) -> [(connection: Connection, since: ContinuousClock.Instant)] {
        var counts: [String: Int] = [:]
        var waiting: [String: [(connection: Connection, since: ContinuousClock.Instant)]] = [:]
        for connection in connections.values where network == nil || connection.network == network {
            counts[connection.network, default: 0] += 1
            guard let since = connection.waitingSince else { continue }
            waiting[connection.network, default: []].append((connection, since))
        }
        let most = waiting.max { counts[$0.key, default: 0] < counts[$1.key, default: 0] }?.value ?? []
        return most.sorted { $0.since > $1.since }.suffix(ConnectionWatch.candidatesMax)
    }
}
