internal import Glibc
internal import Synchronization

/// Interrupts a thread's `poll()` from another: `reading` becomes readable after `signal()`.
struct WakePipe: ~Copyable, Sendable {
    /// For `poll()`; read it only through `clear()`.
    let reading: CInt
    private let writing: CInt
    // Many signals between two turns of the loop cost one write.
    private let isSignalled = Atomic(false)

    init() {
        var ends: [CInt] = [-1, -1]
        let status = pipe(&ends)
        precondition(status == 0, "the system has no descriptor left")
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Safe from any thread; never blocks.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 0
        write(writing, &byte, 1)
    }

    /// To be called before looking for what was signalled, by the thread that polls.
    func clear() {
        var bytes: UInt64 = 0
        while read(reading, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
        // An exchange, so that what happened before a signal that found the flag set is seen after this.
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
    }
}
