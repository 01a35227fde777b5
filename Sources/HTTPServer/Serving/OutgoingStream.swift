internal import Glibc

/// An open streaming response: its socket, its body, and what of the last chunk the kernel has not taken yet.
struct OutgoingStream: Sendable {
    /// Ours alone: libmicrohttpd has closed its own descriptor of the connection, or is about to.
    let socket: CInt
    /// Whose share of the streams it takes.
    let holder: Holder
    let body: HTTPBodyStream
    private(set) var unsent: ArraySlice<UInt8>
    /// When the kernel last took a byte.
    private(set) var movedAt: ContinuousClock.Instant
    var waitsForRoom = false

    enum Progress {
        /// All of it is out.
        case sent
        /// The kernel takes no more for now.
        case full
        /// The connection is lost.
        case lost
    }

    /// - Parameter head: status line and headers.
    init(socket: CInt, holder: Holder, head: [UInt8], body: HTTPBodyStream) {
        self.socket = socket
        self.holder = holder
        self.body = body
        unsent = head[...]
        movedAt = .now
        // An event is small and must not wait for the acknowledgement of the one before.
        var one: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    }

    /// What is to be sent next, once everything before is.
    mutating func put(_ chunk: [UInt8]) {
        unsent = chunk[...]
    }

    /// Sends what the kernel takes, without waiting.
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
        // Lets the chunk's memory go.
        unsent = []
        return .sent
    }
}
