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
        #expect(!Self.isReadable(waker))
        #expect(!waker.fallAsleep())
        waker.wakeUp(isReadable: false)
        #expect(waker.fallAsleep())
    }

    @Test func signalsToASleeperAreWrittenOnce() {
        let waker = Waker()
        #expect(waker.fallAsleep())
        waker.signal()
        waker.signal()
        #expect(Self.isReadable(waker))
        waker.wakeUp(isReadable: true)
        #expect(!Self.isReadable(waker))
        #expect(waker.fallAsleep())
    }

    /// Each signal is heeded before the next is given, so one that is lost shows as a poll that runs into its limit.
    @Test func noSignalIsLost() async throws {
        final class Shared: Sendable {
            let waker = Waker()
            let given = Atomic(0)
            let heeded = Atomic(0)
        }
        let shared = Shared()
        let signals = 20_000
        async let giver: Void = offPool {
            for signal in 1...signals {
                shared.given.store(signal, ordering: .releasing)
                shared.waker.signal()
                while shared.heeded.load(ordering: .acquiring) < signal {}
            }
        }
        let sleeper = try await offPool {
            while true {
                var isReadable = false
                if shared.waker.fallAsleep() {
                    isReadable = Self.isReadable(shared.waker, within: 10_000)
                    if !isReadable { return shared.given.load(ordering: .acquiring) }
                }
                shared.waker.wakeUp(isReadable: isReadable)
                let given = shared.given.load(ordering: .acquiring)
                shared.heeded.store(given, ordering: .releasing)
                if given == signals { return given }
            }
        }
        #expect(sleeper == signals)
        if sleeper < signals { shared.heeded.store(signals, ordering: .releasing) }
        try await giver
    }
}
