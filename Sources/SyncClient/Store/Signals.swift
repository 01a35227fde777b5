import Synchronization

/// A signal that wakes one waiting task. Signals that arrive while no task waits are kept, and count as one signal.
final class Wake: Sendable {
    private struct State {
        var isSet = false
        var waiter: AsyncStream<Void>.Continuation?
    }
    private let state = Mutex(State())

    func set() {
        let waiter = state.withLock { state in
            state.isSet = true
            return state.waiter.take()
        }
        waiter?.finish()
    }

    /// Waits until `set` is called, the task is cancelled, or `duration` has passed. Returns at once if `set` was
    /// called since the last wait.
    func wait(atMost duration: Duration? = nil) async {
        await withTaskGroup { group in
            group.addTask { await self.waitForSet() }
            if let duration { group.addTask { try? await Task.sleep(for: duration) } }
            await group.next()
            group.cancelAll()
        }
        state.withLock { state in
            state.isSet = false
            state.waiter = nil
        }
    }

    private func waitForSet() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let isSet = state.withLock { state in
            if !state.isSet { state.waiter = continuation }
            return state.isSet
        }
        if isSet { return }
        for await _ in stream {}
    }
}

/// A source of elements with any number of listeners. A listener receives only the elements sent after it began to
/// listen.
final class Broadcast<Element: Sendable>: Sendable {
    private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<Element>.Continuation])>((0, [:]))

    func send(_ element: Element) {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener.yield(element) }
    }

    /// Returns a stream of the elements that are sent from now on.
    ///
    /// - Parameter policy: the rule by which elements are buffered for a listener that reads slowly.
    func stream(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.all[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        return stream
    }
}
