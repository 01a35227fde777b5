internal import Glibc
internal import Synchronization

/// The thread that writes all streaming responses.
///
/// The streams are not written by libmicrohttpd, because it scans all suspended connections for every resumed request,
/// and each stream would be such a connection. See docs/decisions/0014-write-streams-ourselves.md.
final class StreamLoop: Sendable {
    private let limits: HTTPServer.Limits
    private let waker = Waker()
    private let orders: Mutex<Orders>

    private struct Orders {
        var arrivals: [OutgoingStream] = []
        /// The sockets of the streams that may have something to send, because their bells have rung (see `Bell`); at
        /// most one entry for each open stream.
        var rung: [CInt] = []
        /// The number of streams of each holder (the party that they are charged to) that are open or about to be
        /// opened.
        var open: FairShare<Holder>
        var isStopping = false
    }

    init(limits: HTTPServer.Limits) {
        self.limits = limits
        orders = Mutex(
            Orders(open: FairShare(limit: limits.streamsMax, share: limits.streamsPerHolderMax)))
    }

    /// The number of streams that are open or about to be opened.
    var count: Int { orders.withLock { $0.open.taken } }

    /// Reserves room for one more stream, and returns `nil`. The caller must then call `take` or `giveUp`. If there is
    /// no room, returns the bound that is reached; if the server is stopping, returns `.limit`.
    func reserve(for holder: Holder) -> FairShare<Holder>.Excess? {
        orders.withLock { $0.isStopping ? .limit : $0.open.take(1, for: holder) }
    }

    func giveUp(for holder: Holder) {
        orders.withLock { $0.open.giveBack(1, for: holder) }
    }

    /// Opens a stream for which room was reserved. From now on the loop's thread writes the stream, and closes its
    /// socket when the stream ends.
    func take(_ stream: OutgoingStream) {
        stream.body.bell.hang(at: stream.socket, in: self)
        let isTaken = orders.withLock { orders in
            if orders.isStopping {
                orders.open.giveBack(1, for: stream.holder)
                return false
            }
            orders.arrivals.append(stream)
            return true
        }
        if isTaken { waker.signal() } else { close(stream.socket) }
    }

    /// Tells the loop that the stream of `socket` may have something to send. The stream may have ended already, and
    /// another stream may have the same socket number by now. The call is then harmless.
    func look(at socket: CInt) {
        orders.withLock { $0.rung.append(socket) }
        waker.signal()
    }

    /// Ends all streams and makes `run()` return.
    func stop() {
        orders.withLock { $0.isStopping = true }
        waker.signal()
    }

    /// Runs the thread's loop. Returns after `stop()`, once every stream is closed.
    func run() {
        var writer = StreamWriter(limits: limits, wake: waker.descriptor)
        while true {
            let events = writer.wait(mayBlock: waker.fallAsleep())
            waker.wakeUp(isReadable: events.contains { $0.socket == waker.descriptor })
            let (arrivals, rung, isStopping) = orders.withLock { orders in
                defer { (orders.arrivals, orders.rung) = ([], []) }
                return (orders.arrivals, orders.rung, orders.isStopping)
            }
            var ended: [Holder] = []
            if isStopping {
                for stream in arrivals { close(stream.socket) }
                ended = arrivals.map(\.holder)
                writer.endAll()
            } else {
                for event in events where event.socket != waker.descriptor {
                    if event.isGone { writer.end(event.socket) } else { writer.write(to: event.socket) }
                }
                for stream in arrivals { writer.take(stream) }
                for socket in rung { writer.write(to: socket) }
                writer.goOn()
                writer.keepAlive(.now)
            }
            ended += writer.takeEnded()
            if !ended.isEmpty {
                orders.withLock { orders in
                    for holder in ended { orders.open.giveBack(1, for: holder) }
                }
            }
            if isStopping { return }
        }
    }
}
