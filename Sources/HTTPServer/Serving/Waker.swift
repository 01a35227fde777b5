internal import CEpoll
internal import Glibc
internal import Synchronization

/// A signal with which other threads end the `poll()` of one sleeping thread. While the thread is awake, a signal costs
/// no system call.
///
/// In each iteration of its loop the thread calls `fallAsleep()`; waits in `poll()`, only if `fallAsleep()` returned
/// true; calls `wakeUp()`; and then looks for work. So work that is added before a signal is seen in the current
/// iteration or in the next one.
struct Waker: ~Copyable, Sendable {
    /// An eventfd(2) that becomes readable when the sleeping thread is signalled. Only `wakeUp()`, which the woken
    /// thread calls, may read it.
    let descriptor: CInt
    private let state = Atomic(State.awake.rawValue)

    private enum State: Int {
        case awake
        case asleep
        /// Another thread has signalled since the thread last woke up.
        case signalled
    }

    init() {
        descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(descriptor >= 0, "the system has no descriptor left")
    }

    deinit {
        close(descriptor)
    }

    /// Wakes the thread. May be called from any thread; never blocks.
    func signal() {
        guard state.exchange(State.signalled.rawValue, ordering: .acquiringAndReleasing) == State.asleep.rawValue
        else { return }
        eventfd_write(descriptor, 1)
    }

    /// Marks the thread as asleep. Returns true if the thread may wait in `poll()`; false if there was a signal
    /// meanwhile, so that it must not wait.
    func fallAsleep() -> Bool {
        state.compareExchange(
            expected: State.awake.rawValue, desired: State.asleep.rawValue, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Marks the thread as awake. Called once in each iteration of the thread's loop.
    ///
    /// - Parameter isReadable: true if `poll()` reported `descriptor` as readable. It may do so one iteration late,
    ///   when the signal has been handled already.
    func wakeUp(isReadable: Bool) {
        if isReadable {
            var count: eventfd_t = 0
            eventfd_read(descriptor, &count)
        }
        // An exchange, so that work done before a signal is seen after this call.
        _ = state.exchange(State.awake.rawValue, ordering: .acquiringAndReleasing)
    }
}
