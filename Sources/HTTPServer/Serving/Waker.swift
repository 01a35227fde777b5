internal import CEpoll
internal import Glibc
internal import Synchronization

/// Wakes one thread out of its `poll()` from others. While the thread is awake that costs no system call.
///
/// A turn of the thread: `fallAsleep()`, and only if that is granted the call that waits; `wakeUp()`; then it looks for
/// what was signalled. So whatever was done before a signal is seen in the turn under way or in the next.
struct Waker: ~Copyable, Sendable {
    /// An eventfd(2), readable once the sleeping thread was signalled. Read it only through `wakeUp()`.
    let descriptor: CInt
    private let state = Atomic(State.awake.rawValue)

    private enum State: Int {
        case awake
        case asleep
        /// Since the thread last woke up.
        case signalled
    }

    init() {
        descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(descriptor >= 0, "the system has no descriptor left")
    }

    deinit {
        close(descriptor)
    }

    /// Safe from any thread; never blocks.
    func signal() {
        guard state.exchange(State.signalled.rawValue, ordering: .acquiringAndReleasing) == State.asleep.rawValue
        else { return }
        eventfd_write(descriptor, 1)
    }

    /// Whether the thread may wait; false after a signal.
    func fallAsleep() -> Bool {
        state.compareExchange(
            expected: State.awake.rawValue, desired: State.asleep.rawValue, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// - Parameter isReadable: whether the descriptor was seen readable. It may become so a turn after its signal was
    ///   heeded; then there is a turn for nothing.
    func wakeUp(isReadable: Bool) {
        if isReadable {
            var count: eventfd_t = 0
            eventfd_read(descriptor, &count)
        }
        // An exchange, so that what happened before a signal is seen after this.
        _ = state.exchange(State.awake.rawValue, ordering: .acquiringAndReleasing)
    }
}
