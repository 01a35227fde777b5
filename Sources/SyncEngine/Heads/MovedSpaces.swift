import Synchronization

/// The spaces that moved since somebody last took them, each with where it stands now. To note one is all that a push
/// does for events, however many listen.
package final class MovedSpaces: Sendable {
    private let moved = Mutex<[SpaceName: SpaceHead]>([:])
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    package init() {
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func note(_ space: SpaceName, _ standing: SpaceHead) {
        note([space: standing])
    }

    package func note(_ spaces: [SpaceName: SpaceHead]) {
        let isFirst = moved.withLock { moved in
            let isFirst = moved.isEmpty
            for (space, standing) in spaces where standing.isNews(after: moved[space]) { moved[space] = standing }
            return isFirst
        }
        if isFirst { arrival.yield() }
    }

    /// What has moved so far.
    package func take() -> [SpaceName: SpaceHead] {
        moved.withLock { moved in
            defer { moved = [:] }
            return moved
        }
    }

    /// Waits until something has moved; `nil` once the task is cancelled. For one task, once.
    package func next() async -> [SpaceName: SpaceHead]? {
        var iterator = arrivals.makeAsyncIterator()
        while await iterator.next() != nil {
            let taken = take()
            if !taken.isEmpty { return taken }
        }
        return nil
    }
}
