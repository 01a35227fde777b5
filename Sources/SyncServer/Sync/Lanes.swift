import PGStore
import Synchronization
import WireFormats

/// Lets only a few pushes into one space at a time. They would wait for its lock in any case, each with a session that
/// other spaces want.
final class Lanes: Sendable {
    private let width: Int
    private let waitMax: Duration
    private let lanes = Mutex([ID: Lane]())

    private typealias Waiter = CheckedContinuation<Void, any Error>

    private struct Lane {
        var inside = 0
        /// In the order in which they came.
        var waiting: [(since: ContinuousClock.Instant, waiter: Waiter)] = []
    }

    /// One at work, and one whose statements wait in PostgreSQL, so that it begins as soon as the other has committed.
    static let usualWidth = 2
    /// The most pushes that wait for one space: a quarter of the requests that the server works on at once, so that
    /// others find room.
    static let waitingMax = 64

    /// - Parameter waitMax: who has waited longer is refused when its turn comes: the client has given up or soon will.
    init(width: Int = usualWidth, waitMax: Duration = PoolLimits().waitMax) {
        self.width = width
        self.waitMax = waitMax
    }

    /// - Throws: `PGError.poolOverloaded`, `PGError.poolTimeout`; what `body` throws.
    func withTurn<Value>(in space: ID, _ body: () async throws -> Value) async throws -> Value {
        try await enter(space)
        defer { leave(space) }
        return try await body()
    }

    /// How many wait, in all spaces.
    var waitingCount: Int { lanes.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

    private func enter(_ space: ID) async throws {
        let isFree = lanes.withLock { lanes in
            let isFree = lanes[space, default: Lane()].inside < width
            if isFree { lanes[space, default: Lane()].inside += 1 }
            return isFree
        }
        if isFree { return }
        try await withCheckedThrowingContinuation { (waiter: Waiter) in
            let outcome: Result<Void, PGError>? = lanes.withLock { lanes in
                // Somebody may have left meanwhile.
                if lanes[space, default: Lane()].inside < width {
                    lanes[space, default: Lane()].inside += 1
                    return .success(())
                }
                if lanes[space]!.waiting.count >= Lanes.waitingMax { return .failure(.poolOverloaded) }
                lanes[space]!.waiting.append((.now, waiter))
                return nil
            }
            if let outcome { waiter.resume(with: outcome.mapError { $0 as any Error }) }
        }
    }

    /// Gives the place to who waits for it, or up.
    private func leave(_ space: ID) {
        let now = ContinuousClock.now
        let (late, next): ([Waiter], Waiter?) = lanes.withLock { lanes in
            guard var lane = lanes[space] else { return ([], nil) }
            let late = lane.waiting.prefix { now - $0.since > waitMax }.map(\.waiter)
            lane.waiting.removeFirst(late.count)
            var next: Waiter?
            if lane.waiting.isEmpty {
                lane.inside -= 1
            } else {
                next = lane.waiting.removeFirst().waiter
            }
            lanes[space] = lane.inside == 0 ? nil : lane
            return (late, next)
        }
        for waiter in late { waiter.resume(throwing: PGError.poolTimeout) }
        next?.resume()
    }
}
