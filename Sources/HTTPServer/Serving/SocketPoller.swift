internal import CEpoll
internal import Glibc

/// An epoll descriptor (epoll(7)), which reports the events of thousands of sockets. The value owns the descriptor.
struct SocketPoller: ~Copyable {
    /// An event that has occurred on one socket.
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

    /// Starts to report an event whenever bytes of `socket` can be read.
    func watchForReading(_ socket: CInt) {
        control(EPOLL_CTL_ADD, socket, EPOLLIN.rawValue)
    }

    /// Starts to report an event when the peer of `socket` is gone. Bytes that the peer sends are not reported and stay
    /// unread.
    func watchForLoss(_ socket: CInt) {
        control(EPOLL_CTL_ADD, socket, EPOLLRDHUP.rawValue)
    }

    /// Starts (if `wanted` is true) or stops reporting when `socket` can accept more bytes to send.
    func watchForRoom(_ socket: CInt, _ wanted: Bool) {
        control(EPOLL_CTL_MOD, socket, wanted ? EPOLLRDHUP.rawValue | EPOLLOUT.rawValue : EPOLLRDHUP.rawValue)
    }

    /// Stops reporting events of `socket`. Call this before closing `socket`, because the kernel goes on reporting
    /// while another descriptor of the same connection is open.
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
