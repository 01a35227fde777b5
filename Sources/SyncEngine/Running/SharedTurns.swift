import PGStore
import Postgres
import Synchronization
import WireFormats

/// Runs requests (the members) in turns. Members that waited together share one turn, which is one transaction or
/// query.
///
/// Pushes into one space would wait for each other in any case, at the space's lock, and each with a session that other
/// spaces need. So turns also keep a busy space from taking all sessions. Small pushes, and small pulls, share the cost
/// of beginning and ending a transaction.
final class SharedTurns<Member: Sendable, Answer: Sendable>: Sendable {
    /// The rules by which requests wait for each other and share turns. A turn is one run for several requests.
    struct Rules: Sendable {
        /// Returns the key by which requests (the members) are grouped, such as the id of their space. Only requests
        /// with the same key share turns and wait for each other. `nil` is a key, too.
        let key: @Sendable (Member) -> ID?
        /// The most turns with the same key that may be under way at a time, not counting slow turns.
        let turnsMax: Int
        /// The number of waiting requests with the same key at which another turn begins while a quick turn is under
        /// way. If no quick turn is under way, one waiting request is enough.
        let worthATurn: Int
        /// The most turns with the same key that may be under way at a time, slow turns included. At least `turnsMax`
        /// are always allowed.
        ///
        /// More turns may be under way if some are slow, because slow turns wait for a disk and not for a processor.
        let slowTurnsMax: Int
        /// The duration after which a turn (one run for several requests) counts as slow.
        let slowAfter: Duration
        /// Returns true if another request may wait when `waiting` requests with the same key already do. Otherwise the
        /// request is refused.
        let mayWait: @Sendable (Member, _ waiting: Int) -> Bool
        /// Returns how many of the waiting members (requests) share the next turn (one run for all of them), counted
        /// from the first; at least one.
        let share: @Sendable ([Member]) -> Int
    }

    /// Runs the members (requests) of a turn together, and returns an answer for each of them, in their order.
    ///
    /// If it throws an error, all members fail with it; `PGError.cancelled` means that nothing was done. It may call
    /// `onlyWaits` when nothing is left but to wait for the disk, so that other turns may begin.
    typealias Work = @Sendable ([Member], _ onlyWaits: @escaping @Sendable () -> Void) async throws -> [Answer]

    private let rules: Rules
    private let waitMax: Duration
    private let queues = Mutex([ID?: Queue]())
    private let ran = Mutex(SharedCounts())

    private struct Queue {
        /// The start times of the turns (runs for several requests) that are under way, by the turn's number.
        var underWay: [Int: ContinuousClock.Instant] = [:]
        /// The waiting members (requests), in the order in which they arrived; empty if no turn is under way.
        var waiting: [Waiting] = []
    }

    private struct Waiting {
        let member: Member
        let since = ContinuousClock.now
        let slot: CheckedContinuation<Slot, any Error>
    }

    /// The instruction to a waiting member (a request): to run a turn, to take the answer of a finished turn, or to
    /// wait again.
    private enum Slot {
        /// The member runs a turn (one run for several members), for itself and for the others that share the turn.
        case first(Turn)
        /// Another member has run the turn that both share. Contains the answer for this member.
        case hasRun(Answer)
        /// The member that was to run the shared turn was cancelled before it began: this member waits again.
        case again
    }

    private struct Turn {
        let number: Int
        /// The requests that share the turn. The first one's task runs the turn for all.
        let members: [Member]
        /// The continuations of the other members, in the order of `members`; each is resumed with its member's answer.
        var others: [CheckedContinuation<Slot, any Error>] = []
    }

    /// Creates empty queues with these rules.
    ///
    /// - Parameter waitMax: the longest wait. A member that has waited longer is refused when its turn comes, because
    ///   its client has given up or soon will.
    init(_ rules: Rules, waitMax: Duration) {
        self.rules = rules
        self.waitMax = waitMax
    }

    /// The number of waiting members (requests), of all keys.
    var waitingCount: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.waiting.count } } }

    /// The number of turns (runs for several requests) that are under way in all queues.
    var underWayCount: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.underWay.count } } }

    var counts: SharedCounts { ran.withLock(\.self) }

    /// Runs a member (a request) when it is its turn, perhaps together with others, and returns its answer.
    ///
    /// The first member of a turn runs it for all members, in its own task: switching to another thread would cost as
    /// much as a small push.
    ///
    /// - Parameter work: runs the members of the turn, if this member is the first of them.
    /// - Throws: `PGError.poolOverloaded`, `PGError.poolTimeout`; any error of `work`.
    func run(_ member: Member, in work: Work) async throws -> Answer {
        let key = rules.key(member)
        while true {
            let slot = try await withCheckedThrowingContinuation { slot in wait(member, key, in: slot) }
            switch slot {
            case .hasRun(let answer): return answer
            case .again: continue
            case .first(let turn):
                let ended: Result<[Answer], any Error>
                do {
                    let answers = try await work(turn.members) { [self] in
                        // The turn counts as slow from now on.
                        advance(key) { $0.underWay[turn.number] = .now - rules.slowAfter }
                    }
                    ended = .success(answers)
                } catch {
                    ended = .failure(error)
                }
                return try end(turn, key, with: ended)
            }
        }
    }

    /// Begins a turn (one run for the waiting members of a queue), if one may begin now.
    ///
    /// - Returns: the number of the turn; `nil` if none may begin.
    private func begin(_ queue: inout Queue) -> Int? {
        let now = ContinuousClock.now
        let quick = queue.underWay.values.count { now - $0 < rules.slowAfter }
        let quickMax = queue.waiting.count < rules.worthATurn ? 1 : rules.turnsMax
        guard quick < quickMax, queue.underWay.count < max(rules.turnsMax, rules.slowTurnsMax) else { return nil }
        let number = (0...).first { queue.underWay[$0] == nil }!
        queue.underWay[number] = now
        return number
    }

    /// Adds a member to its queue, or refuses it if too many wait. The continuation `slot` is resumed when the member
    /// is to run a turn, or when another member has run it.
    private func wait(_ member: Member, _ key: ID?, in slot: CheckedContinuation<Slot, any Error>) {
        var isWaiting = false
        advance(key) { queue in
            isWaiting = rules.mayWait(member, queue.waiting.count)
            if isWaiting { queue.waiting.append(Waiting(member: member, slot: slot)) }
        }
        if !isWaiting { slot.resume(throwing: PGError.poolOverloaded) }
    }

    /// Ends a turn (one run for several members), and resumes each of the other members with its answer.
    ///
    /// - Returns: the answer of the first member.
    private func end(_ turn: Turn, _ key: ID?, with ended: Result<[Answer], any Error>) throws -> Answer {
        // The turn ends first, because others wait for the next turn, and nobody waits for an answer that is written
        // now.
        advance(key) { $0.underWay[turn.number] = nil }
        if case .failure(PGError.cancelled) = ended {
            // The others must not end with a request that was cancelled.
            for slot in turn.others { slot.resume(returning: .again) }
            throw PGError.cancelled
        }
        for (index, slot) in turn.others.enumerated() {
            slot.resume(with: ended.map { .hasRun($0[index + 1]) })
        }
        return try ended.get()[0]
    }

    /// Changes the queue of a key with `change`, and then begins the next turn, if one may begin. The turn takes as
    /// many of the waiting requests as may share it. Requests that have waited too long are refused.
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
        for waiting in late { waiting.slot.resume(throwing: PGError.poolTimeout) }
        guard let first = group.first, let number else { return }
        let others = group.dropFirst().map(\.slot)
        // Counted before the member goes on, so that whoever sees a turn begin sees it counted.
        ran.withLock {
            $0.turns += 1
            $0.members += group.count
        }
        first.slot.resume(returning: .first(Turn(number: number, members: group.map(\.member), others: others)))
    }
}

/// The count of turns (transactions or queries that requests share) that have run, and the count of requests in them.
package struct SharedCounts: Sendable {
    package var turns = 0
    /// The number of requests that ran in all these turns together.
    package var members = 0
}
