internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

// The opening and closing of connections, called on the event loops' threads.
extension HTTPServer {
    /// The maximum number of evicted connections (those closed to make room for others) whose sockets are still open,
    /// because their event loops have not yet noticed the eviction.
    private static let evictedOpenMax = 64

    /// Returns true if the server accepts a new connection from `address`, after closing another one if there are too
    /// many. Returns false if the new connection must be closed.
    func accepts(_ address: UnsafePointer<sockaddr>?) -> Bool {
        let network = SocketAddress.network(of: address)
        let (isOpen, excess) = state.withLock { state in
            let isOpen =
                state.stage == .running
                && state.counts.openConnections - state.connections.taken < HTTPServer.evictedOpenMax
            return (isOpen, state.connections.excess(of: 1, for: network))
        }
        if isOpen {
            guard let excess else { return true }
            if let evicted = watch.evict(from: excess == .share ? network : nil) {
                state.withLock { state in
                    state.counts.evictedConnections += 1
                    if evicted.stopCounting() { state.connections.giveBack(1, for: evicted.network) }
                }
                return true
            }
        }
        state.withLock { $0.counts.refusedConnections += 1 }
        return false
    }

    /// Registers a new connection. Returns a retained `Connection`, which libmicrohttpd keeps as the context of the
    /// connection.
    func opened(_ raw: OpaquePointer) -> UnsafeMutableRawPointer {
        let peer = mhd_peer(raw)
        let connection = Connection(
            socket: mhd_socket(raw), remoteAddress: SocketAddress.text(of: peer),
            network: SocketAddress.network(of: peer), now: .now)
        state.withLock { state in
            state.counts.openConnections += 1
            state.connections.takeAnyway(1, for: connection.network)
        }
        watch.add(connection)
        return Unmanaged.passRetained(connection).toOpaque()
    }

    func closed(_ connection: Connection) {
        watch.remove(connection)
        if let socket = connection.close() { watch.drain(socket) }
        state.withLock { state in
            state.counts.openConnections -= 1
            if connection.stopCounting() { state.connections.giveBack(1, for: connection.network) }
        }
    }
}
