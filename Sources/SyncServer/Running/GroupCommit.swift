import PGStore
import PlantedBugs
import Synchronization
import WireFormats

/// Runs the pushes into one space one after the other. Those that waited together share a transaction, so that they
/// share one fsync.
///
/// They would wait for each other in any case, at the space's lock, and each with a session that other spaces want. So
/// this is also what keeps a busy space from taking all of them.
final class GroupCommit: Sendable {
    /// Runs pushes into one space in one transaction, and says what each came to; throws what concerns all of them.
    typealias Transaction = @Sendable ([Push]) async throws -> [PushAttempt]

    private let waitMax: Duration
    /// Those that wait, by space, in the order in which they came; none where nothing is under way.
    private let queues = Mutex([ID: [Waiting]]())
    private let ran = Mutex(Ran())

    private struct Waiting {
        let push: Push
        let since = ContinuousClock.now
        let turn: CheckedContinuation<Turn, any Error>
    }

    /// What somebody who waits is told.
    private enum Turn {
        /// It is at the head of these, and runs them.
        case run([Waiting])
        /// Another has run it.
        case hasRun(PushAttempt)
    }

    /// What was run so far.
    struct Ran: Sendable {
        var transactions = 0
        /// In them.
        var pushes = 0
    }

    /// The most pushes that wait for one space when another comes: a quarter of the requests that the server works on
    /// at once, so that others find room. What is run again was let in before.
    static let waitingMax = 64

    /// - Parameter waitMax: who has waited longer is refused when its turn comes: the client has given up or soon will.
    init(waitMax: Duration) {
        self.waitMax = waitMax
    }

    /// How many wait, in all spaces.
    var waitingCount: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    var counts: Ran { ran.withLock(\.self) }

    private func note(_ pushes: Int) {
        ran.withLock {
            $0.transactions += 1
            $0.pushes += pushes
        }
    }

    /// - Parameter transaction: runs the push, and others if its turn is theirs too.
    /// - Throws: `PGError.poolOverloaded`, `PGError.poolTimeout`; what `transaction` throws.
    func run(_ push: Push, in transaction: @escaping Transaction) async throws -> PushAttempt {
        // Without the lock, only two servers would get in each other's way.
        if PlantedBug.headBeforeLock.isPlanted { return try await transaction([push])[0] }
        let isFree = queues.withLock { queues in
            if queues[push.space] != nil { return false }
            queues[push.space] = []
            return true
        }
        if isFree {
            defer { passOn(push.space) }
            note(1)
            return try await transaction([push])[0]
        }
        switch try await wait(push) {
        case .hasRun(let attempt): return attempt
        case .run(let group):
            defer { passOn(push.space) }
            return try await run(group, in: transaction)
        }
    }

    private func wait(_ push: Push) async throws -> Turn {
        try await withCheckedThrowingContinuation { turn in
            let answer: Result<Turn, any Error>? = queues.withLock { queues in
                let waiting = Waiting(push: push, turn: turn)
                // Those before it may have ended meanwhile.
                guard let queue = queues[push.space] else {
                    queues[push.space] = []
                    return .success(.run([waiting]))
                }
                if queue.count >= GroupCommit.waitingMax, push.attempts <= 1 { return .failure(PGError.poolOverloaded) }
                queues[push.space]!.append(waiting)
                return nil
            }
            if let answer { turn.resume(with: answer) }
        }
    }

    /// Runs a group for all that are in it.
    ///
    /// - Returns: what the first came to.
    private func run(_ group: [Waiting], in transaction: @escaping Transaction) async throws -> PushAttempt {
        note(group.count)
        if group.count == 1 { return try await transaction([group[0].push])[0] }
        // In a task of its own, because the others must not end with a request that was given up.
        let running = Task { try await transaction(group.map(\.push)) }
        let ended = await running.result
        for (place, waiting) in group.enumerated().dropFirst() {
            waiting.turn.resume(with: ended.map { .hasRun($0[place]) })
        }
        return try ended.get()[0]
    }

    /// Gives the turn to those that wait, as many as one transaction may take.
    private func passOn(_ space: ID) {
        let now = ContinuousClock.now
        let (late, group): ([Waiting], [Waiting]) = queues.withLock { queues in
            guard var queue = queues[space] else { return ([], []) }
            let late = Array(queue.prefix { now - $0.since > waitMax })
            queue.removeFirst(late.count)
            let group = GroupCommit.group(of: queue)
            queue.removeFirst(group.count)
            queues[space] = group.isEmpty ? nil : queue
            return (late, group)
        }
        for waiting in late { waiting.turn.resume(throwing: PGError.poolTimeout) }
        group.first?.turn.resume(returning: .run(group))
    }

    /// The first of those that wait: no more changes than one push may have, since the space is locked for as long.
    /// What is rolled back in any case is alone, and so is what was interrupted.
    private static func group(of queue: [Waiting]) -> [Waiting] {
        var changes = 0
        let group = queue.prefix { waiting in
            changes += waiting.push.count
            return changes <= SyncEngine.changesMax && waiting.push.purpose == .commit && waiting.push.isSociable
        }
        return group.isEmpty ? Array(queue.prefix(1)) : Array(group)
    }
}
