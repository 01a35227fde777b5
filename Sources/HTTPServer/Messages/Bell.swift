internal import Synchronization

/// What the producer of a stream rings when there may be something to send.
///
/// It may be rung at any time and from any thread, before the stream is open and after it has ended; it never blocks.
/// Rung often before the stream looks, it is heard once.
package final class Bell: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isRung = false
        /// Where the stream is written; nil before and after.
        var hung: (loop: StreamLoop, socket: CInt)?
    }

    package init() {}

    package func ring() {
        let hung = state.withLock { state -> (loop: StreamLoop, socket: CInt)? in
            if state.isRung { return nil }
            state.isRung = state.hung != nil
            return state.hung
        }
        if let hung { hung.loop.look(at: hung.socket) }
    }

    /// The stream is asked once in any case after this.
    func hang(at socket: CInt, in loop: StreamLoop) {
        state.withLock { $0.hung = (loop, socket) }
    }

    /// The next ringing is heard again; to be called before the stream is asked.
    func clear() {
        state.withLock { $0.isRung = false }
    }

    func takeDown() {
        state.withLock { $0.hung = nil }
    }
}
