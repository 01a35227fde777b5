internal import Glibc

/// Writes the open streaming responses to their sockets. All methods are called on one thread.
struct StreamWriter: ~Copyable {
    // The limit per turn, so that a body that always has more does not delay the others.
    private static let chunksPerTurn = 16

    private let limits: HTTPServer.Limits
    private let poller = SocketPoller()
    private var streams: [CInt: OutgoingStream] = [:]
    /// The sockets of the streams that had more to send than one call may send.
    private var unfinished: [CInt] = []
    private var nextRound = ContinuousClock.now
    /// The holder (the party that it was charged to) of each stream that has ended, until `takeEnded` returns it.
    private var ended: [Holder] = []

    /// Creates a writer without streams.
    ///
    /// - Parameter wake: a descriptor that becomes readable when other threads have work for the writer's thread.
    init(limits: HTTPServer.Limits, wake: CInt) {
        self.limits = limits
        poller.watchForReading(wake)
    }

    /// The time between two checks for heartbeats that are due. It is a tenth of the heartbeat interval, so a heartbeat
    /// is late by at most a tenth.
    private var roundInterval: Duration { max(limits.heartbeatInterval / 10, .milliseconds(5)) }

    /// Waits until a socket has an event, another thread has signalled, or a heartbeat may be due. Returns the events.
    /// Does not wait if `mayBlock` is false.
    func wait(mayBlock: Bool) -> [SocketPoller.Event] {
        if !mayBlock || !unfinished.isEmpty { return poller.wait(0) }
        return poller.wait(streams.isEmpty ? -1 : CInt(clamping: roundInterval.milliseconds))
    }

    mutating func take(_ stream: OutgoingStream) {
        streams[stream.socket] = stream
        poller.watchForLoss(stream.socket)
        write(to: stream.socket)
    }

    /// Sends the stream's pending bytes, and then further chunks of its body, as long as the socket accepts them and up
    /// to `chunksPerTurn`.
    mutating func write(to socket: CInt) {
        guard var stream = streams[socket] else { return }
        for _ in 0..<Self.chunksPerTurn {
            switch stream.send() {
            case .lost: return end(socket)
            case .full: return keep(stream, waitingForRoom: true)
            case .sent: break
            }
            stream.body.bell.clear()
            switch stream.body.next() {
            case .bytes(let chunk): stream.put(chunk)
            case .nothing: return keep(stream, waitingForRoom: false)
            case .end: return end(socket)
            }
        }
        keep(stream, waitingForRoom: false)
        unfinished.append(socket)
    }

    /// Continues the streams that had more to send than one turn allows.
    mutating func goOn() {
        let sockets = unfinished
        unfinished = []
        for socket in sockets { write(to: socket) }
    }

    /// Sends the heartbeats that are due, and ends each stream whose client has not taken a byte for too long.
    mutating func keepAlive(_ now: ContinuousClock.Instant) {
        guard now >= nextRound else { return }
        nextRound = now + roundInterval
        for socket in Array(streams.keys) {
            guard var stream = streams[socket] else { continue }
            let silence = now - stream.movedAt
            if !stream.unsent.isEmpty {
                if silence > limits.sendTimeout { end(socket) }
            } else if silence >= limits.heartbeatInterval {
                stream.put(stream.body.heartbeat)
                streams[socket] = stream
                write(to: socket)
            }
        }
    }

    /// Closes the connection of `socket`. Does nothing if no open stream has that socket.
    mutating func end(_ socket: CInt) {
        guard let stream = streams.removeValue(forKey: socket) else { return }
        poller.forget(socket)
        close(socket)
        ended.append(stream.holder)
    }

    mutating func endAll() {
        for socket in Array(streams.keys) { end(socket) }
    }

    /// Returns the holder (the party that it was charged to) of each stream that has ended since the last call.
    mutating func takeEnded() -> [Holder] {
        defer { ended = [] }
        return ended
    }

    private mutating func keep(_ stream: OutgoingStream, waitingForRoom waits: Bool) {
        if stream.waitsForRoom != waits { poller.watchForRoom(stream.socket, waits) }
        streams[stream.socket] = stream
        streams[stream.socket]?.waitsForRoom = waits
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up.
    var milliseconds: Int64 {
        components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
