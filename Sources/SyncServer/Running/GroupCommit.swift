import PGStore
import PlantedBugs
import Synchronization
import WireFormats

/// Runs pushes of one scope in turns. Those that waited together share a transaction, and so one fsync.
///
/// Pushes into one space would wait for each other in any case, at the space's lock, and each with a session that other
/// spaces want. So this is also what keeps a busy space from taking all of them.
final class GroupCommit: Sendable {
    /// Which pushes wait for each other.
    enum Scope: Sendable {
        /// Those into one space, each of which locks it.
        case space
        /// Small ones into any space: so many transactions at a time. Where one is free a push does not wait.
        case small(transactionsMax: Int)
    }

    /// Runs pushes in one transaction, and says what each came to; throws what concerns all of them.
    typealias Transaction = @Sendable ([Push]) async throws -> [PushAttempt]

    private let scope: Scope
    private let waitMax: Duration
    /// By space; of small pushes, one for all.
    private let queues = Mutex([ID: Queue]())
    private let ran = Mutex(Ran())

    private struct Queue {
        /// How many transactions are under way.
        var underWay = 0
        /// Those that wait, in the order in which they came; none where a transaction may begin.
        var waiting: [Waiting] = []
    }

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

    /// The most small pushes in one transaction. More would save little, and make the first of them wait for the last.
    static let smallPushesMax = 8

    /// - Parameter waitMax: who has waited longer is refused when its turn comes: the client has given up or soon will.
    init(_ scope: Scope = .space, waitMax: Duration) {
        self.scope = scope
        self.waitMax = waitMax
    }

    /// How many wait, in all spaces.
    var waitingCount: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

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
        let key = key(of: push)
        if queues.withLock({ begin(key, &$0) }) {
            defer { passOn(key) }
            note(1)
            return try await transaction([push])[0]
        }
        switch try await wait(push, key) {
        case .hasRun(let attempt): return attempt
        case .run(let group):
            defer { passOn(key) }
            return try await run(group, in: transaction)
        }
    }

    private func key(of push: Push) -> ID {
        switch scope {
        case .space: push.space
        case .small: ID(high: 0, low: 0)
        }
    }

    /// - Returns: whether a transaction may begin at once; then it is counted.
    private func begin(_ key: ID, _ queues: inout [ID: Queue]) -> Bool {
        let transactionsMax =
            switch scope {
            case .space: 1
            case .small(let transactionsMax): transactionsMax
            }
        guard queues[key, default: Queue()].underWay < transactionsMax else { return false }
        queues[key, default: Queue()].underWay += 1
        return true
    }

    private func wait(_ push: Push, _ key: ID) async throws -> Turn {
        try await withCheckedThrowingContinuation { turn in
            let answer: Result<Turn, any Error>? = queues.withLock { queues in
                let waiting = Waiting(push: push, turn: turn)
                // Those before it may have ended meanwhile.
                if begin(key, &queues) { return .success(.run([waiting])) }
                if case .space = scope, queues[key]!.waiting.count >= GroupCommit.waitingMax, push.attempts <= 1 {
                    return .failure(PGError.poolOverloaded)
                }
                queues[key]!.waiting.append(waiting)
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
    private func passOn(_ key: ID) {
        let now = ContinuousClock.now
        let (late, group): ([Waiting], [Waiting]) = queues.withLock { queues in
            guard var queue = queues[key] else { return ([], []) }
            let late = Array(queue.waiting.prefix { now - $0.since > waitMax })
            queue.waiting.removeFirst(late.count)
            let group = self.group(of: queue.waiting)
            queue.waiting.removeFirst(group.count)
            if group.isEmpty { queue.underWay -= 1 }
            queues[key] = queue.underWay == 0 ? nil : queue
            return (late, group)
        }
        for waiting in late { waiting.turn.resume(throwing: PGError.poolTimeout) }
        group.first?.turn.resume(returning: .run(group))
    }

    /// The first of those that wait. Of one space no more changes than one push may have, since it is locked for as
    /// long. What is rolled back in any case is alone, and so is what was interrupted.
    private func group(of queue: [Waiting]) -> [Waiting] {
        if case .small = scope { return Array(queue.prefix(GroupCommit.smallPushesMax)) }
        var changes = 0
        let group = queue.prefix { waiting in
            changes += waiting.push.count
            return changes <= SyncEngine.changesMax && waiting.push.purpose == .commit && waiting.push.isSociable
        }
        return group.isEmpty ? Array(queue.prefix(1)) : Array(group)
    }
}
