import Synchronization

/// A value that is set once, and that tasks can wait for. Only the first attempt to set it has an effect.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Value, Never>])
        case kept(Value)
    }

    private let state = Mutex(State.awaited([]))

    /// Sets the value. Later calls change nothing.
    func keep(_ value: Value) {
        let continuations = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard case .awaited(let continuations) = state else { return [] }
            state = .kept(value)
            return continuations
        }
        for continuation in continuations { continuation.resume(returning: value) }
    }

    /// The value. Reading it waits until the value is set, even if the task is cancelled.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let kept = state.withLock { state -> Value? in
                    switch state {
                    case .kept(let value): return value
                    case .awaited(let others):
                        state = .awaited(others + [continuation])
                        return nil
                    }
                }
                if let kept { continuation.resume(returning: kept) }
            }
        }
    }
}
