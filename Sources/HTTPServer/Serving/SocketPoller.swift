internal import CEpoll
internal import Glibc

/// Owns an epoll descriptor (epoll(7)): tells of thousands of sockets which have something new.
struct SocketPoller: ~Copyable {
    /// What there is of one socket.
    struct Event {
        let socket: CInt
        /// The peer has closed its sending side, or the connection is lost.
        let isGone: Bool
    }

    // What is left over is told of at the next call.
    private static let eventsMax = 256

    private let descriptor: CInt

    init() {
        descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "the system has no descriptor left")
    }

    deinit {
        close(descriptor)
    }

    /// Tells of `socket` when it can be read.
    func watchForReading(_ socket: CInt) {
        control(EPOLL_CTL_ADD, socket, EPOLLIN.rawValue)
    }

    /// Tells when the peer of `socket` is gone, and of nothing else: what it sends stays unread.
    func watchForLoss(_ socket: CInt) {
        control(EPOLL_CTL_ADD, socket, EPOLLRDHUP.rawValue)
    }

    /// Whether to tell also when `socket` can take more bytes.
    func watchForRoom(_ socket: CInt, _ wanted: Bool) {
        control(EPOLL_CTL_MOD, socket, wanted ? EPOLLRDHUP.rawValue | EPOLLOUT.rawValue : EPOLLRDHUP.rawValue)
    }

    /// Before `socket` is closed: while another descriptor of the connection is open, the kernel would go on telling.
    func forget(_ socket: CInt) {
        control(EPOLL_CTL_DEL, socket, 0)
    }

    /// - Parameter timeout: the longest to wait for an event, in milliseconds; -1 for ever.
    func wait(_ timeout: CInt) -> [Event] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsMax) { events in
            // Negative for EINTR: nothing yet.
            let count = Int(max(0, epoll_wait(descriptor, events.baseAddress, CInt(Self.eventsMax), timeout)))
            let gone = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
            return events.prefix(count).map { Event(socket: $0.data.fd, isGone: $0.events & gone != 0) }
        }
    }

    private func control(_ operation: CInt, _ socket: CInt, _ events: UInt32) {
        var event = epoll_event(events: events, data: epoll_data_t(fd: socket))
        _ = epoll_ctl(descriptor, operation, socket, &event)
    }
}
