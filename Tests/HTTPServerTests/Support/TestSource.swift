import HTTPServer
import Synchronization

/// The source of a test's stream: each value replaces the one before.
final class TestSource: Sendable {
    let bell = Bell()
    private let state = Mutex(State())
    private let endings: AsyncStream<Void>
    private let ending: AsyncStream<Void>.Continuation

    private struct State {
        var latest: [UInt8]?
        var isOver = false
    }

    init() {
        (endings, ending) = AsyncStream.makeStream()
    }

    func put(_ bytes: [UInt8]) {
        state.withLock { $0.latest = bytes }
        bell.ring()
    }

    func put(_ text: String) { put(Array(text.utf8)) }

    func finish() {
        state.withLock { $0.isOver = true }
        bell.ring()
    }

    var stream: HTTPBodyStream {
        HTTPBodyStream(bell: bell, heartbeat: Array(":\n".utf8), next: next, ended: { [ending] in ending.yield() })
    }

    /// Returns when the source was notified that the stream has ended.
    func ended() async {
        for await _ in endings { return }
    }

    private func next() -> HTTPBodyStream.Chunk {
        state.withLock { state in
            if let bytes = state.latest {
                state.latest = nil
                return .bytes(bytes)
            }
            return state.isOver ? .end : .nothing
        }
    }
}
