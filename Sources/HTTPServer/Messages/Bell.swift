internal import Synchronization

/// A signal from a stream's producer that there may be something to send.
///
/// `ring()` may be called at any time and from any thread, before the stream is open and after it has ended; it never
/// blocks. Several rings before the stream is asked count as one.
package final class Bell: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isRung = false
        /// The loop and socket that the stream is written to; nil before and after.
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

    /// Connects the bell to its stream's socket. The stream is asked once after this call even if the bell is not rung.
    func hang(at socket: CInt, in loop: StreamLoop) {
        state.withLock { $0.hung = (loop, socket) }
    }

    /// Clears the signal, so that the next ring counts again. Call this before the stream is asked.
    func clear() {
        state.withLock { $0.isRung = false }
    }

    func takeDown() {
        state.withLock { $0.hung = nil }
    }
}
