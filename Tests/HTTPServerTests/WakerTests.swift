import Glibc
import Synchronization
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(10)))
struct WakerTests {
    private static func isReadable(_ waker: borrowing Waker, within milliseconds: CInt = 0) -> Bool {
        var entry = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) == 1
    }

    @Test func signalToWhoIsAwakeIsNotWritten() {
        let waker = Waker()
        waker.signal()
        let isWritten = Self.isReadable(waker)
        let mayWait = waker.fallAsleep()
        #expect(!isWritten && !mayWait)
        waker.wakeUp(isReadable: false)
        let mayWaitThen = waker.fallAsleep()
        #expect(mayWaitThen)
    }

    @Test func signalToASleeperIsWritten() {
        let waker = Waker()
        let mayWait = waker.fallAsleep()
        waker.signal()
        waker.signal()
        let isWritten = Self.isReadable(waker)
        #expect(mayWait && isWritten)
        waker.wakeUp(isReadable: true)
        let isWrittenStill = Self.isReadable(waker)
        let mayWaitThen = waker.fallAsleep()
        #expect(!isWrittenStill && mayWaitThen)
    }

    /// Each signal is handled before the next is sent, so a lost signal shows as a poll that runs into its time limit.
    @Test func noSignalIsLost() async throws {
        final class Shared: Sendable {
            let waker = Waker()
            let given = Atomic(0)
            let heeded = Atomic(0)
        }
        let shared = Shared()
        let signals = 5_000
        let heeded = try await offPool {
            let giver = Thread.start {
                for signal in 1...signals {
                    shared.given.store(signal, ordering: .releasing)
                    shared.waker.signal()
                    while shared.heeded.load(ordering: .acquiring) < signal { sched_yield() }
                }
            }
            defer {
                shared.heeded.store(signals, ordering: .releasing)
                giver.join()
            }
            var heeded = 0
            while heeded < signals {
                var isReadable = false
                if shared.waker.fallAsleep() {
                    isReadable = Self.isReadable(shared.waker, within: 60_000)
                    if !isReadable { return heeded }
                }
                shared.waker.wakeUp(isReadable: isReadable)
                heeded = shared.given.load(ordering: .acquiring)
                shared.heeded.store(heeded, ordering: .releasing)
            }
            return heeded
        }
        #expect(heeded == signals)
    }
}
