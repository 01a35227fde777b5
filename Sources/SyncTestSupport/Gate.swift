import Dispatch
import Synchronization

/// A gate that is shut at first, and opens once for all. Tasks wait for it without blocking a thread. Synchronous code,
/// such as the body of a transaction, may block its thread until the gate opens.
package final class Gate: Sendable {
    private enum State {
        case shut([CheckedContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.shut([]))
    private let group = DispatchGroup()

    package init() {
        group.enter()
    }

    package var isOpen: Bool {
        state.withLock { if case .open = $0 { true } else { false } }
    }

    package func open() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            guard case .shut(let waiting) = state else { return nil }
            state = .open
            return waiting
        }
        guard let waiting else { return }
        for continuation in waiting { continuation.resume() }
        group.leave()
    }

    package func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard case .shut(let waiting) = state else { return true }
                state = .shut(waiting + [continuation])
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Blocks the calling thread until the gate opens. Call it only on a thread that may be blocked, such as that of a
    /// session's queue.
    package func block() {
        group.wait()
    }
}
