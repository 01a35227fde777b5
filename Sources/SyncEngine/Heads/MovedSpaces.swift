import Synchronization

/// The spaces that were pushed into since the last call of `take` or `next`, each with its latest head (highest
/// sequence number). Each push only notes its space here, so its cost does not depend on the number of clients that
/// listen for events.
package final class MovedSpaces: Sendable {
    private let moved = Mutex<[SpaceName: SpaceHead]>([:])
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    package init() {
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func note(_ space: SpaceName, _ head: SpaceHead) {
        note([space: head])
    }

    package func note(_ spaces: [SpaceName: SpaceHead]) {
        let isFirst = moved.withLock { moved in
            let isFirst = moved.isEmpty
            for (space, head) in spaces where head.isNews(after: moved[space]) { moved[space] = head }
            return isFirst
        }
        if isFirst { arrival.yield() }
    }

    /// Returns the spaces whose heads have changed since the last call, each with its latest head, and forgets them.
    package func take() -> [SpaceName: SpaceHead] {
        moved.withLock { moved in
            defer { moved = [:] }
            return moved
        }
    }

    /// Waits until the head of a space has changed; then it returns the changed spaces, each with its head, and forgets
    /// them. Returns `nil` if the task is cancelled. Only one task may call this, and only one call at a time.
    package func next() async -> [SpaceName: SpaceHead]? {
        var iterator = arrivals.makeAsyncIterator()
        while await iterator.next() != nil {
            let taken = take()
            if !taken.isEmpty { return taken }
        }
        return nil
    }
}
