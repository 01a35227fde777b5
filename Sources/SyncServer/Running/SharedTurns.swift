import PGStore
import Synchronization
import WireFormats

/// Runs what is asked in turns. Those that waited together share one.
///
/// Pushes into one space would wait for each other in any case, at the space's lock, and each with a session that other
/// spaces want: so this is also what keeps a busy space from taking all of them. Small pushes, and small pulls, share
/// what a transaction costs to begin and to end.
final class SharedTurns<Member: Sendable, Answer: Sendable>: Sendable {
    /// Which members wait for each other, and how many.
    struct Rules: Sendable {
        /// Members of one key share turns.
        let key: @Sendable (Member) -> ID
        /// How many turns of a key are under way at a time. Where one is free nobody waits.
        let turnsMax: Int
        /// How many there may be where those before are slow: they wait for a disk, and not for a processor.
        let slowTurnsMax: Int
        /// Whether so many may wait when another comes.
        let admits: @Sendable (Member, _ waiting: Int) -> Bool
        /// How many of those that wait share the next turn: the first of them, at least one.
        let share: @Sendable ([Member]) -> Int
    }

    /// Does what members ask, and says what each came to; throws what concerns all of them. It may say that it only
    /// waits for the disk from now on: then others may begin.
    typealias Work = @Sendable ([Member], _ onlyWaits: @escaping @Sendable () -> Void) async throws -> [Answer]

    private let rules: Rules
    private let waitMax: Duration
    private let queues = Mutex([ID: Queue]())
    private let ran = Mutex(SharedCounts())

    private struct Queue {
        /// When those began that are under way, by their numbers.
        var underWay: [Int: ContinuousClock.Instant] = [:]
        /// Those that wait, in the order in which they came; none where a turn is free.
        var waiting: [Waiting] = []
    }

    private struct Waiting {
        let member: Member
        let since = ContinuousClock.now
        let turn: CheckedContinuation<Turn, any Error>
    }

    /// What somebody who waits is told.
    private enum Turn {
        /// It is at the head of these, and runs them in the turn of that number.
        case run([Waiting], Int)
        /// Another has run it.
        case hasRun(Answer)
    }

    /// - Parameter waitMax: who has waited longer is refused when its turn comes: the client has given up or soon will.
    init(_ rules: Rules, waitMax: Duration) {
        self.rules = rules
        self.waitMax = waitMax
    }

    /// How many wait, of all keys.
    var waitingCount: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

    /// How many turns are under way, of all keys.
    var underWayCount: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.underWay.count } } }

    var counts: SharedCounts { ran.withLock(\.self) }

    private func note(_ members: Int) {
        ran.withLock {
            $0.turns += 1
            $0.members += members
        }
    }

    /// - Parameter work: does what the member asks, and what others ask if its turn is theirs too.
    /// - Throws: `PGError.poolOverloaded`, `PGError.poolTimeout`; what `work` throws.
    func run(_ member: Member, in work: @escaping Work) async throws -> Answer {
        let key = rules.key(member)
        if let number = queues.withLock({ begin(&$0[key, default: Queue()]) }) {
            defer { passOn(key, number) }
            note(1)
            return try await work([member]) { self.letOthersBegin(key, number) }[0]
        }
        switch try await wait(member, key) {
        case .hasRun(let answer): return answer
        case .run(let group, let number):
            defer { passOn(key, number) }
            return try await run(group, in: work) { self.letOthersBegin(key, number) }
        }
    }

    /// Counts a turn as slow, whatever it has taken so far.
    private func letOthersBegin(_ key: ID, _ number: Int) {
        let next = queues.withLock { queues in
            queues[key]!.underWay[number] = .now - slowAfter
            return queues[key]!.waiting.isEmpty ? nil : begin(&queues[key]!)
        }
        if let next { passOn(key, next) }
    }

    /// - Returns: the number of a turn that may begin at once; `nil` where none may.
    private func begin(_ queue: inout Queue) -> Int? {
        let now = ContinuousClock.now
        let quick =
            queue.underWay.count < rules.turnsMax
            ? queue.underWay.count : queue.underWay.values.count { now - $0 < slowAfter }
        guard quick < rules.turnsMax, queue.underWay.count < max(rules.turnsMax, rules.slowTurnsMax) else { return nil }
        let number = (0...).first { queue.underWay[$0] == nil }!
        queue.underWay[number] = now
        return number
    }

    private func wait(_ member: Member, _ key: ID) async throws -> Turn {
        try await withCheckedThrowingContinuation { turn in
            let isRefused = queues.withLock { queues in
                guard rules.admits(member, queues[key]?.waiting.count ?? 0) else { return true }
                queues[key, default: Queue()].waiting.append(Waiting(member: member, turn: turn))
                return false
            }
            if isRefused { return turn.resume(throwing: PGError.poolOverloaded) }
            // Those before it may have ended meanwhile, or be slow.
            if let number = queues.withLock({ begin(&$0[key, default: Queue()]) }) { passOn(key, number) }
        }
    }

    /// Runs a group for all that are in it.
    ///
    /// - Returns: what the first came to.
    private func run(
        _ group: [Waiting], in work: @escaping Work, onlyWaits: @escaping @Sendable () -> Void
    ) async throws -> Answer {
        note(group.count)
        if group.count == 1 { return try await work([group[0].member], onlyWaits)[0] }
        // In a task of its own, because the others must not end with a request that was given up.
        let running = Task { try await work(group.map(\.member), onlyWaits) }
        let ended = await running.result
        for (place, waiting) in group.enumerated().dropFirst() {
            waiting.turn.resume(with: ended.map { .hasRun($0[place]) })
        }
        return try ended.get()[0]
    }

    /// Gives the turn to those that wait, as many as one turn may take.
    private func passOn(_ key: ID, _ number: Int) {
        let now = ContinuousClock.now
        let (late, group): ([Waiting], [Waiting]) = queues.withLock { queues in
            guard var queue = queues[key] else { return ([], []) }
            let late = Array(queue.waiting.prefix { now - $0.since > waitMax })
            queue.waiting.removeFirst(late.count)
            let group = Array(
                queue.waiting.prefix(queue.waiting.isEmpty ? 0 : rules.share(queue.waiting.map(\.member))))
            queue.waiting.removeFirst(group.count)
            queue.underWay[number] = group.isEmpty ? nil : now
            queues[key] = queue.underWay.isEmpty ? nil : queue
            return (late, group)
        }
        for waiting in late { waiting.turn.resume(throwing: PGError.poolTimeout) }
        group.first?.turn.resume(returning: .run(group, number))
    }
}

/// A turn that takes longer is slow: it waits for a disk or a lock. Eight small pushes are 4 ms of two busy processors.
private let slowAfter = Duration.milliseconds(5)

/// What was run so far.
struct SharedCounts: Sendable {
    var turns = 0
    /// In them.
    var members = 0
}
