import HTTPServer
import SyncEngine
import Synchronization

/// A limit on the total size of the large bodies that are processed at the same time. Reading a JSON body takes up to
/// fourteen times its size in memory, and merging and writing it takes several times more. Large bodies are admitted in
/// the order in which they come; small ones pass at once.
package final class LargeBodies: Sendable {
    /// The size from which a body counts as large, in bytes. Smaller bodies are processed at once: the limit on
    /// requests in flight bounds their total size.
    static let sizeMinBytes = 1 << 20
    /// The total size of large bodies processed at a time, in bytes: one of the largest allowed size, or several
    /// smaller ones.
    static let bytesMax = 32 << 20
    /// The maximum number of requests with large bodies that wait. A push of the largest allowed size takes about a
    /// second, and such pushes run one after the other.
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

    /// The total size of the large bodies being processed, in bytes.
    var bytes: Int { state.withLock { $0.bytes } }
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits until the bodies in progress leave enough memory for a body of `bytes` bytes, and then runs `body`.
    ///
    /// - Throws: `Problem` if too many requests wait; `CancellationError`; the errors of `body`.
    func withRoom<Value>(for bytes: Int, _ body: () async throws -> Value) async throws -> Value {
        if bytes < LargeBodies.sizeMinBytes { return try await body() }
        // A body larger than `bytesMax` has passed a limit that was set higher; it runs alone.
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
    /// Returns success if the request may run at once, failure if it is refused, and `nil` if it waits.
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
