internal import Glibc
internal import Synchronization

/// The thread that writes all streaming responses.
///
/// libmicrohttpd does not write the streams: with a suspended connection for each stream, every resumed request would
/// cost a scan of all of them. See docs/decisions/0014-write-streams-ourselves.md.
final class StreamLoop: Sendable {
    private let limits: HTTPServer.Limits
    private let waker = Waker()
    private let orders: Mutex<Orders>

    private struct Orders {
        var arrivals: [OutgoingStream] = []
        /// The sockets whose bell has rung; at most one entry for each open stream, see `Bell`.
        var rung: [CInt] = []
        /// The streams that are open or about to be, by holder.
        var open: FairShare<Holder>
        var isStopping = false
    }

    init(limits: HTTPServer.Limits) {
        self.limits = limits
        orders = Mutex(
            Orders(open: FairShare(limit: limits.streamsMax, share: limits.streamsPerHolderMax)))
    }

    /// The number of open streams.
    var count: Int { orders.withLock { $0.open.taken } }

    /// Reserves room for one more stream; `take` or `giveUp` must follow. If there is no room, or the server stops,
    /// returns the bound that is reached.
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

    /// Marks the stream of this socket as one that may have something to send. A socket whose stream has ended, or
    /// whose number now belongs to another stream, is checked for nothing.
    func look(at socket: CInt) {
        orders.withLock { $0.rung.append(socket) }
        waker.signal()
    }

    /// Ends all streams, and `run()`.
    func stop() {
        orders.withLock { $0.isStopping = true }
        waker.signal()
    }

    /// Runs the thread: returns after `stop()`, with every stream closed.
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
