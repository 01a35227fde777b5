internal import Glibc

/// An open streaming response: its socket, its body, and the part of the last chunk that is not yet written to the
/// socket.
struct OutgoingStream: Sendable {
    /// The stream's own duplicate of the connection's descriptor. libmicrohttpd closes the original.
    let socket: CInt
    /// The holder that the stream is charged to.
    let holder: Holder
    let body: HTTPBodyStream
    private(set) var unsent: ArraySlice<UInt8>
    /// The time when the socket last accepted a byte.
    private(set) var movedAt: ContinuousClock.Instant
    var waitsForRoom = false

    enum Progress {
        /// All pending bytes are written.
        case sent
        /// The socket's buffer is full for now.
        case full
        /// The connection is lost.
        case lost
    }

    /// Creates a stream that is written to `socket`. The first bytes to send are `head`.
    ///
    /// - Parameter head: the status line and headers.
    init(socket: CInt, holder: Holder, head: [UInt8], body: HTTPBodyStream) {
        self.socket = socket
        self.holder = holder
        self.body = body
        unsent = head[...]
        movedAt = .now
        // Without TCP_NODELAY a small event would wait for the acknowledgement of the one before.
        var one: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Sets the next bytes to send to the client. Call this only when all earlier bytes are sent.
    mutating func put(_ chunk: [UInt8]) {
        unsent = chunk[...]
    }

    /// Writes as many pending bytes as the socket accepts, without waiting.
    mutating func send() -> Progress {
        while !unsent.isEmpty {
            let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
            let count = unsent.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, flags) }
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN || errno == EWOULDBLOCK ? .full : .lost
            }
            unsent = unsent.dropFirst(count)
            movedAt = .now
        }
        // Releases the chunk's memory.
        unsent = []
        return .sent
    }
}
