import Synchronization

/// The spaces that were pushed into since they were last taken, each with its current head. Noting a space here is all
/// that a push does for events, however many clients listen.
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

    /// Returns the spaces whose heads have changed since the last call, and forgets them.
    package func take() -> [SpaceName: SpaceHead] {
        moved.withLock { moved in
            defer { moved = [:] }
            return moved
        }
    }

    /// Waits until the head of a space has changed; then it returns the changed spaces and forgets them. `nil` once the
    /// task is cancelled. Only one task may call this, and only one call at a time.
    package func next() async -> [SpaceName: SpaceHead]? {
        var iterator = arrivals.makeAsyncIterator()
        while await iterator.next() != nil {
            let taken = take()
            if !taken.isEmpty { return taken }
        }
        return nil
    }
}
