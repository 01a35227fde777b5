import HTTPServer
import SyncEngine
import Synchronization

/// Lets large bodies in only as far as there is room for them: to be read, a body of JSON takes up to fourteen times
/// its size, and to be merged and written some times more. First come, first served; small ones pass.
package final class LargeBodies: Sendable {
    /// Smaller bodies are worked on as they come: what they take together is bounded by the requests in flight.
    static let sizeMinBytes = 1 << 20
    /// The bytes of large bodies that are worked on at a time: one as large as there may be, or several smaller ones.
    static let bytesMax = 32 << 20
    /// How many may wait: a push as large as there may be takes about a second. One subject has one or two at a time
    /// (`HTTPServer.Limits.longRequestWeight`).
    static let waitingMax = 32

    private let state = Mutex(State())

    fileprivate struct State {
        var bytes = 0
        var ticketCount = 0
        var waiting: [Waiting] = []
    }

    fileprivate struct Waiting {
        let ticket: Int
        let bytes: Int
        let turn: CheckedContinuation<Void, any Error>
    }

    package init() {}

    /// The bytes that are worked on, and how many requests wait.
    var bytes: Int { state.withLock { $0.bytes } }
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs `body` once there is room for a request of so many bytes.
    ///
    /// - Throws: `Problem` where too many wait; `CancellationError`; what `body` throws.
    func admit<Value>(_ bytes: Int, _ body: () async throws -> Value) async throws -> Value {
        if bytes < LargeBodies.sizeMinBytes { return try await body() }
        // One that is larger than all that there may be has passed a limit that was set higher; it goes alone.
        let bytes = min(bytes, LargeBodies.bytesMax)
        try await enter(bytes)
        defer { leave(bytes) }
        return try await body()
    }

    private func enter(_ bytes: Int) async throws {
        let ticket = state.withLock { state in
            state.ticketCount += 1
            return state.ticketCount
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let waiting = Waiting(ticket: ticket, bytes: bytes, turn: turn)
                if let answer = state.withLock({ $0.take(waiting) }) { turn.resume(with: answer) }
            }
        } onCancel: {
            let turn = state.withLock { state in
                state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).turn }
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    private func leave(_ bytes: Int) {
        let turns = state.withLock { $0.giveBack(bytes) }
        for turn in turns { turn.resume() }
    }
}

extension LargeBodies.State {
    /// Whether it may go at once, or is refused; `nil` where it waits.
    fileprivate mutating func take(_ waiting: LargeBodies.Waiting) -> Result<Void, any Error>? {
        if Task.isCancelled { return .failure(CancellationError()) }
        if self.waiting.isEmpty, bytes + waiting.bytes <= LargeBodies.bytesMax {
            bytes += waiting.bytes
            return .success(())
        }
        if self.waiting.count >= LargeBodies.waitingMax { return .failure(Problem.tooManyLargeBodies) }
        self.waiting.append(waiting)
        return nil
    }

    fileprivate mutating func giveBack(_ bytes: Int) -> [CheckedContinuation<Void, any Error>] {
        self.bytes -= bytes
        var turns: [CheckedContinuation<Void, any Error>] = []
        while let next = waiting.first, self.bytes + next.bytes <= LargeBodies.bytesMax {
            self.bytes += next.bytes
            turns.append(next.turn)
            waiting.removeFirst()
        }
        return turns
    }
}
