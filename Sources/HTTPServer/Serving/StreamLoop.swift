internal import Glibc
internal import Synchronization

/// The thread that writes all streaming responses.
///
/// They are not left to libmicrohttpd: with a suspended connection for each, every request that is resumed would cost a
/// look at all of them. See docs/decisions/0014-write-streams-ourselves.md.
final class StreamLoop: Sendable {
    private let limits: HTTPServer.Limits
    private let waker = Waker()
    private let orders: Mutex<Orders>

    private struct Orders {
        var arrivals: [OutgoingStream] = []
        /// At most one for each stream that is open, see `Bell`.
        var rung: [CInt] = []
        /// Open, or about to be.
        var open: FairShare<Holder>
        var isStopping = false
    }

    init(limits: HTTPServer.Limits) {
        self.limits = limits
        orders = Mutex(
            Orders(open: FairShare(limit: limits.streamsMax, share: limits.streamsPerHolderMax)))
    }

    /// How many streams are open.
    var count: Int { orders.withLock { $0.open.taken } }

    /// Makes room for one more, after which `take` or `giveUp` follows. Where there is none, or when the server stops,
    /// it says what is full.
    func reserve(for holder: Holder) -> FairShare<Holder>.Excess? {
        orders.withLock { $0.isStopping ? .limit : $0.open.take(1, for: holder) }
    }

    func giveUp(for holder: Holder) {
        orders.withLock { $0.open.giveBack(1, for: holder) }
    }

    /// Writes `stream` from now on and closes its socket at its end.
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

    /// The stream of this socket may have something to send. One that has ended meanwhile, or whose socket's number has
    /// been given to another, is asked in vain.
    func look(at socket: CInt) {
        orders.withLock { $0.rung.append(socket) }
        waker.signal()
    }

    /// Ends all streams, and `run()`.
    func stop() {
        orders.withLock { $0.isStopping = true }
        waker.signal()
    }

    /// The thread's body: returns after `stop()`, with every stream closed.
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
