internal import CEpoll
internal import Glibc

/// Owns an epoll descriptor (epoll(7)): reports which of thousands of sockets have an event.
struct SocketPoller: ~Copyable {
    /// An event of one socket.
    struct Event {
        let socket: CInt
        /// True if the peer has closed its sending side, or the connection is lost.
        let isGone: Bool
    }

    // Events beyond this number are reported at the next call.
    private static let eventsMax = 256

    private let descriptor: CInt

    init() {
        descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
        precondition(descriptor >= 0, "the system has no descriptor left")
    }

    deinit {
        close(descriptor)
    }

    /// Reports `socket` when it can be read.
    func watchForReading(_ socket: CInt) {
        control(EPOLL_CTL_ADD, socket, EPOLLIN.rawValue)
    }

    /// Reports only that the peer of `socket` is gone: bytes that the peer sends stay unread.
    func watchForLoss(_ socket: CInt) {
        control(EPOLL_CTL_ADD, socket, EPOLLRDHUP.rawValue)
    }

    /// Sets if an event is also reported when `socket` can take more bytes.
    func watchForRoom(_ socket: CInt, _ wanted: Bool) {
        control(EPOLL_CTL_MOD, socket, wanted ? EPOLLRDHUP.rawValue | EPOLLOUT.rawValue : EPOLLRDHUP.rawValue)
    }

    /// Stops reporting `socket`. Call this before `socket` is closed: while another descriptor of the connection is
    /// open, the kernel would go on reporting.
    func forget(_ socket: CInt) {
        control(EPOLL_CTL_DEL, socket, 0)
    }

    /// Waits for events and returns them; empty after the timeout.
    ///
    /// - Parameter timeout: the longest to wait for an event, in milliseconds; -1 for no limit.
    func wait(_ timeout: CInt) -> [Event] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsMax) { events in
            // A negative result is EINTR: no event yet.
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
