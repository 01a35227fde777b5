import SyncTestSupport
import Synchronization
import Testing

@testable import HTTPServer
@testable import SyncServer

/// P9: large bodies are worked on only as far as there is room for what becomes of them.
@Suite struct LargeBodiesTests {
    private static let megabyte = 1 << 20

    @Test func smallOnesPassWhateverIsUnderWay() async throws {
        let bodies = LargeBodies()
        let gate = Gate()
        async let large: Void = bodies.withRoom(for: LargeBodies.bytesMax) { await gate.wait() }
        try await eventually("the large one to begin") { bodies.bytes == LargeBodies.bytesMax }
        #expect(try await bodies.withRoom(for: LargeBodies.sizeMinBytes - 1) { 7 } == 7)
        gate.open()
        try await large
        #expect(bodies.bytes == 0)
    }

    @Test func thereIsNeverMoreThanThereIsRoomFor() async throws {
        let bodies = LargeBodies()
        let meter = Meter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<30 {
                let bytes = (1 + index % 20) * Self.megabyte
                group.addTask {
                    try await bodies.withRoom(for: bytes) {
                        meter.add(bytes)
                        await Task.yield()
                        meter.add(-bytes)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((LargeBodies.bytesMax / 2...LargeBodies.bytesMax).contains(meter.most))
        #expect(bodies.bytes == 0 && bodies.waitingCount == 0)
    }

    @Test func theQueueHasAnEnd() async throws {
        let bodies = LargeBodies()
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await bodies.withRoom(for: LargeBodies.bytesMax) { await gate.wait() } }
            try await eventually("the large one to begin") { bodies.bytes > 0 }
            for _ in 0..<LargeBodies.waitingMax {
                group.addTask { try await bodies.withRoom(for: Self.megabyte) {} }
            }
            try await eventually("the others to wait") { bodies.waitingCount == LargeBodies.waitingMax }
            let refused = await #expect(throws: Problem.self) { try await bodies.withRoom(for: Self.megabyte) {} }
            #expect(refused?.code == "overloaded" && refused?.headers["Retry-After"] != nil)
            // Who gives up leaves the queue.
            group.cancelAll()
            try await eventually("the queue to empty") { bodies.waitingCount == 0 }
            gate.open()
            while let result = await group.nextResult() {
                if case .failure(let error) = result { #expect(error is CancellationError) }
            }
        }
        #expect(bodies.bytes == 0)
    }
}

/// A meter of the highest amount at one time.
private final class Meter: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func add(_ amount: Int) {
        state.withLock { state in
            state.now += amount
            state.most = max(state.most, state.now)
        }
    }
}
