import Glibc
import Synchronization

@testable import HTTPServer

/// A client's thread that sends one byte at a time.
final class Dripper: Sendable {
    private let shared = Shared()
    private let thread: Thread

    private final class Shared: Sendable {
        let isStopped = Atomic(false)
    }

    /// Takes ownership of `socket`.
    init(socket: CInt) {
        let shared = shared
        thread = Thread.start {
            while !shared.isStopped.load(ordering: .relaxed) {
                var byte: UInt8 = 0x78
                send(socket, &byte, 1, CInt(MSG_NOSIGNAL))
                poll(nil, 0, 5)
            }
            close(socket)
        }
    }

    func stop() {
        shared.isStopped.store(true, ordering: .relaxed)
        thread.join()
    }
}

/// Lets another thread run, for loops that wait for a condition under the test's time limit.
func yieldThread() {
    poll(nil, 0, 1)
}
