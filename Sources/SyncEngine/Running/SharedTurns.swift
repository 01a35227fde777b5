import PGStore
import Postgres
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
        /// Members of one key share turns; those of none do, too.
        let key: @Sendable (Member) -> ID?
        /// How many turns of a key are under way at a time.
        let turnsMax: Int
        /// How many must wait for another turn to begin beside those under way. Where none is, nobody waits.
        let worthATurn: Int
        /// How many there may be where those before are slow: they wait for a disk, and not for a processor.
        let slowTurnsMax: Int
        /// A turn that takes longer is slow.
        let slowAfter: Duration
        /// Whether so many may wait when another comes.
        let admits: @Sendable (Member, _ waiting: Int) -> Bool
        /// How many of those that wait share the next turn: the first of them, at least one.
        let share: @Sendable ([Member]) -> Int
    }

    /// Does what members ask, and says what each came to; throws what concerns all of them. It may say that it only
    /// waits for the disk from now on: then others may begin. `PGError.cancelled` says that it did nothing.
    typealias Work = @Sendable ([Member], _ onlyWaits: @escaping @Sendable () -> Void) async throws -> [Answer]

    private let rules: Rules
    private let waitMax: Duration
    private let queues = Mutex([ID?: Queue]())
    private let ran = Mutex(SharedCounts())

    private struct Queue {
        /// When those began that are under way, by their numbers.
        var underWay: [Int: ContinuousClock.Instant] = [:]
        /// Those that wait, in the order in which they came; none where no turn is under way.
        var waiting: [Waiting] = []
    }

    private struct Waiting {
        let member: Member
        let since = ContinuousClock.now
        let place: CheckedContinuation<Place, any Error>
    }

    /// What a member is told when its time has come.
    private enum Place {
        /// It runs a turn, for itself and for others.
        case first(Turn)
        /// Another has run it.
        case hasRun(Answer)
        /// Whoever was to run it was given up before it began.
        case again
    }

    private struct Turn {
        let number: Int
        /// The first of them runs it.
        let members: [Member]
        /// What the others wait for.
        var others: [CheckedContinuation<Place, any Error>] = []
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

    /// - Parameter work: does what the member asks, and what others ask if its turn is theirs too.
    /// - Throws: `PGError.poolOverloaded`, `PGError.poolTimeout`; what `work` throws.
    func run(_ member: Member, in work: Work) async throws -> Answer {
        let key = rules.key(member)
        while true {
            switch try await place(of: member, key) {
            case .hasRun(let answer): return answer
            case .again: continue
            case .first(let turn): return try await run(turn, key, in: work)
            }
        }
    }

    /// - Returns: the number of a turn that may begin at once, for those that wait; `nil` where none may.
    private func begin(_ queue: inout Queue) -> Int? {
        let now = ContinuousClock.now
        let quick = queue.underWay.values.count { now - $0 < rules.slowAfter }
        let quickMax = queue.waiting.count < rules.worthATurn ? 1 : rules.turnsMax
        guard quick < quickMax, queue.underWay.count < max(rules.turnsMax, rules.slowTurnsMax) else { return nil }
        let number = (0...).first { queue.underWay[$0] == nil }!
        queue.underWay[number] = now
        return number
    }

    /// Has a member wait until it runs, or has run.
    private func place(of member: Member, _ key: ID?) async throws -> Place {
        try await withCheckedThrowingContinuation { place in
            var isAdmitted = false
            advance(key) { queue in
                isAdmitted = rules.admits(member, queue.waiting.count)
                if isAdmitted { queue.waiting.append(Waiting(member: member, place: place)) }
            }
            if !isAdmitted { place.resume(throwing: PGError.poolOverloaded) }
        }
    }

    /// Runs a turn for all that share it, in the task of the first: to change the thread for it would cost as much as a
    /// small push.
    ///
    /// - Returns: what the first came to.
    private func run(_ turn: Turn, _ key: ID?, in work: Work) async throws -> Answer {
        ran.withLock {
            $0.turns += 1
            $0.members += turn.members.count
        }
        let ended: Result<[Answer], any Error>
        do {
            let answers = try await work(turn.members) { [self] in
                // It counts as slow from now on.
                advance(key) { $0.underWay[turn.number] = .now - rules.slowAfter }
            }
            ended = .success(answers)
        } catch {
            ended = .failure(error)
        }
        // First, since others wait for the next turn, and for no answer that is written now.
        advance(key) { $0.underWay[turn.number] = nil }
        if case .failure(PGError.cancelled) = ended {
            // The others must not end with a request that was given up.
            for place in turn.others { place.resume(returning: .again) }
            throw PGError.cancelled
        }
        for (other, place) in turn.others.enumerated() {
            place.resume(with: ended.map { .hasRun($0[other + 1]) })
        }
        return try ended.get()[0]
    }

    /// After `change`, has a turn begin if one may, with as many of those that wait as it may take.
    private func advance(_ key: ID?, by change: (inout Queue) -> Void) {
        let now = ContinuousClock.now
        let (late, group, number): ([Waiting], [Waiting], Int?) = queues.withLock { queues in
            var queue = queues.removeValue(forKey: key) ?? Queue()
            change(&queue)
            let late = Array(queue.waiting.prefix { now - $0.since > waitMax })
            queue.waiting.removeFirst(late.count)
            let number = queue.waiting.isEmpty ? nil : begin(&queue)
            let count = number == nil ? 0 : rules.share(queue.waiting.map(\.member))
            let group = Array(queue.waiting.prefix(count))
            queue.waiting.removeFirst(group.count)
            if !queue.underWay.isEmpty { queues[key] = queue }
            return (late, group, number)
        }
        for waiting in late { waiting.place.resume(throwing: PGError.poolTimeout) }
        guard let first = group.first, let number else { return }
        let others = group.dropFirst().map(\.place)
        first.place.resume(returning: .first(Turn(number: number, members: group.map(\.member), others: others)))
    }
}

/// What was run so far.
package struct SharedCounts: Sendable {
    package var turns = 0
    /// In them.
    package var members = 0
}
