internal import Glibc
internal import Synchronization

/// The thread that writes all streaming responses.
///
/// They are not left to libmicrohttpd: with a suspended connection for each, every request that is resumed would cost a
/// look at all of them. See docs/decisions/0014-write-streams-ourselves.md.
final class StreamLoop: Sendable {
    private let limits: HTTPServer.Limits
    private let waker = Waker()
    private let orders = Mutex(Orders())

    private struct Orders {
        var arrivals: [OutgoingStream] = []
        /// At most one for each stream that is open, see `Bell`.
        var rung: [CInt] = []
        /// Open, or about to be.
        var count = 0
        var isStopping = false
    }

    init(limits: HTTPServer.Limits) {
        self.limits = limits
    }

    /// How many streams are open.
    var count: Int { orders.withLock { $0.count } }

    /// Makes room for one more; false where there is none, or when the server stops. `take` or `giveUp` follows.
    func reserve() -> Bool {
        orders.withLock { orders in
            guard !orders.isStopping, orders.count < limits.streamsMax else { return false }
            orders.count += 1
            return true
        }
    }

    func giveUp() {
        orders.withLock { $0.count -= 1 }
    }

    /// Writes `stream` from now on and closes its socket at its end.
    func take(_ stream: OutgoingStream) {
        stream.body.bell.hang(at: stream.socket, in: self)
        let isTaken = orders.withLock { orders in
            if orders.isStopping {
                orders.count -= 1
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
            let before = writer.count + arrivals.count
            if isStopping {
                for stream in arrivals { close(stream.socket) }
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
            let ended = before - writer.count
            if ended > 0 { orders.withLock { $0.count -= ended } }
            if isStopping { return }
        }
    }
}
