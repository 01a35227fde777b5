internal import Synchronization

/// A signal from a stream's producer to the thread that writes the stream: there may be something to send.
///
/// `ring()` may be called at any time and from any thread, even before the stream is open and after it has ended. It
/// never blocks. Several rings count as one until the thread asks the stream for its next bytes.
package final class Bell: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isRung = false
        /// The loop that writes the bell's stream, and the stream's socket. `nil` unless the stream is open.
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

    /// Connects the bell to its stream's socket. The loop asks the stream for bytes once after this call even without a
    /// ring.
    func hang(at socket: CInt, in loop: StreamLoop) {
        state.withLock { $0.hung = (loop, socket) }
    }

    /// Clears the signal, so that the next ring counts again. The loop calls this just before it asks the stream for
    /// bytes.
    func clear() {
        state.withLock { $0.isRung = false }
    }

    func takeDown() {
        state.withLock { $0.hung = nil }
    }
}
