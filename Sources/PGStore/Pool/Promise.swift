import Synchronization

/// A value that arrives once, from whoever is first, and one task that waits for it.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value, Never>)
        case kept(Value)
    }

    private let state = Mutex(State.empty)

    /// Keeps the promise. Later calls change nothing.
    func keep(_ value: Value) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .empty:
                state = .kept(value)
                return nil
            case .awaited(let continuation):
                state = .kept(value)
                return continuation
            case .kept: return nil
            }
        }
        continuation?.resume(returning: value)
    }

    /// Waits until it is kept. One task only, and regardless of cancellation.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let kept = state.withLock { state -> Value? in
                    switch state {
                    case .kept(let value): return value
                    case .empty:
                        state = .awaited(continuation)
                        return nil
                    case .awaited: preconditionFailure("Two tasks await one promise.")
                    }
                }
                if let kept { continuation.resume(returning: kept) }
            }
        }
    }
}
