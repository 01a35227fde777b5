import PlantedBugs
import Postgres
import Synchronization
import WireFormats

/// Runs a push until it is stored. The outcome of each attempt determines if and how the push is run again.
///
/// Two other kinds of repetition do not depend on the outcome. `SpaceTransactions` repeats a transaction that failed
/// because of a concurrent one. The service repeats a request whose rights were revoked meanwhile.
struct PushRunner: Sendable {
    let store: AppStore
    /// The queue in which a push waits for other pushes into its space.
    let spaceQueue: PushQueue
    /// The queue that small pushes enter after `spaceQueue`, to share a transaction with pushes into other spaces.
    let sharedQueue: PushQueue
    let transactions: SpaceTransactions
    /// The latest head of each space that this process changed. Each push adds the new head of its space.
    let recentHeads: RecentHeads
    /// The spaces whose heads have changed and are to be reported as events; `nil` if no client listens for events.
    let moved: MovedSpaces?
    /// The number of transactions that ran only pushes into one space.
    private let ownTransactions = Counter()

    init(
        store: AppStore, spaceQueue: PushQueue, sharedQueue: PushQueue, transactions: SpaceTransactions,
        recentHeads: RecentHeads, moved: MovedSpaces?
    ) {
        self.store = store
        self.spaceQueue = spaceQueue
        self.sharedQueue = sharedQueue
        self.transactions = transactions
        self.recentHeads = recentHeads
        self.moved = moved
    }

    /// The number of pushes that wait in one of the two queues.
    var waitingCount: Int { spaceQueue.waitingCount + sharedQueue.waitingCount }

    /// The number of transactions so far, and the number of pushes that ran in them. Both only grow, because monitoring
    /// reads them as counters.
    package var counts: SharedCounts {
        SharedCounts(turns: sharedQueue.counts.turns + ownTransactions.value, members: spaceQueue.counts.members)
    }

    /// Runs the push until it is stored, and notes that the space's head has changed. An attempt may find changes that
    /// cannot be stored; the next attempt leaves them out.
    ///
    /// - Parameter texts: returns the JSON bytes of the changes at some indices in the request, by index. It is called
    ///   for changes that must be put into quarantine.
    /// - Throws: `SyncError`, `PGError`.
    func run(_ push: Push, texts: ([Int]) -> [Int: [UInt8]]) async throws -> Push.Outcome {
        var push = push
        var rejections: [Int: Rejection] = [:]
        var isolation = FaultIsolation()
        while true {
            switch try await enqueue(&push) {
            case .done(var outcome):
                for (index, rejection) in rejections { outcome.verdicts[index] = .rejected(rejection) }
                if push.purpose == .commit, outcome.head > outcome.headBefore { note(outcome, of: push.space) }
                return outcome
            case .refused(let refusal):
                rejections.merge(refusal.rejections) { $1 }
                push.leaveOut(refusal, texts: texts(Array(refusal.held.keys)))
            case .insertConflict: push.insertsOptimistically = false
            // The refused row may be of a creation that was taken for new.
            case .untaken where push.insertsOptimistically: push.insertsOptimistically = false
            case .untaken(let error):
                let open = push.open
                if open.isEmpty { throw error }
                let culprits = try await isolation.culprits(among: open, refusedBy: error) { [push] in
                    try await untakenRecords(of: push)
                } refusal: { [push] indices in
                    try await untaken(push.trial(of: indices))
                }
                push.quarantine.hold(culprits, texts: texts(Array(culprits.keys)))
            case .interrupted: push.isSociable = false
            case .isolated: preconditionFailure("Only a push that is run for that is isolated.")
            }
        }
    }

    private func note(_ outcome: Push.Outcome, of space: ID) {
        recentHeads.note(space, head: outcome.head)
        moved?.note(SpaceName(app: store.app, space: space), SpaceHead(epoch: outcome.epoch, head: outcome.head))
    }

    /// Returns the records of the push that PostgreSQL does not accept by themselves.
    private func untakenRecords(of push: Push) async throws -> [WorkingSet.Key: PGError] {
        var push = push
        push.purpose = .isolation
        switch try await enqueue(&push) {
        case .isolated(let untaken): return untaken
        case .untaken(let error): throw error
        // Another push was committed in between.
        case .done, .refused, .insertConflict, .interrupted: return [:]
        }
    }

    /// Runs a dry run of a push, and returns PostgreSQL's error; `nil` if PostgreSQL accepts everything.
    private func untaken(_ trial: Push) async throws -> PGError? {
        var trial = trial
        while true {
            switch try await enqueue(&trial) {
            case .done: return nil
            case .refused(let refusal): trial.leaveOut(refusal, texts: [:])
            case .untaken(let error): return error
            case .insertConflict: trial.insertsOptimistically = false
            case .interrupted, .isolated: preconditionFailure("A trial is alone in its transaction.")
            }
        }
    }

    /// Runs a push once, after it has waited in the queue of its space.
    private func enqueue(_ push: inout Push) async throws -> PushAttempt {
        push.attempts += 1
        // With this bug planted, pushes bypass the queues: otherwise only pushes through two servers would interleave.
        if PlantedBug.headBeforeLock.isPlanted { return try await runTurn(of: [push]) {}[0] }
        return try await spaceQueue.run(push) { [self] pushes, onlyWaits in try await runTurn(of: pushes, onlyWaits) }
    }

    /// Runs pushes into one space that waited together in its queue. No other push of this process writes into the
    /// space meanwhile.
    ///
    /// - Returns: the outcome of each push, in the order of `pushes`.
    /// - Throws: an error that concerns all of the pushes.
    private func runTurn(
        of pushes: [Push], _ onlyWaits: @escaping @Sendable () -> Void
    ) async throws -> [PushAttempt] {
        if pushes.count == 1, isSmall(pushes[0]) {
            let attempt = try await sharedQueue.run(pushes[0]) { [self] pushes, onlyWaits in
                try await runAcrossSpaces(pushes, onlyWaits)
            }
            if case .interrupted = attempt {} else { return [attempt] }
        }
        return try await runInOneSpace(pushes, onlyWaits)
    }

    /// Returns true if a push may share a transaction with pushes into other spaces. Such a push has few changes. None
    /// of them is a deletion that may cascade to other records, because a cascade may be of any size.
    private func isSmall(_ push: Push) -> Bool {
        push.changes.count <= PushRunner.smallChangesMax && push.purpose == .commit && push.isSociable
            && push.changes.allSatisfy { sent in
                sent.change.operation != .delete || !store.hub.concernsOthers(sent.change.key.entity)
            }
    }

    /// The most changes in a push that shares a transaction with other spaces: as many as an online device sends at a
    /// time.
    private static let smallChangesMax = 16

    /// The longest wait of a shared transaction for another server's push, 50 ms.
    static let sharedLockTimeout = Duration.milliseconds(50)

    /// Runs small pushes into different spaces in one transaction, and returns the outcome of each, in their order.
    private func runAcrossSpaces(
        _ pushes: [Push], _ onlyWaits: @escaping @Sendable () -> Void
    ) async throws -> [PushAttempt] {
        let order = pushes.indices.sorted { pushes[$0].space < pushes[$1].space }
        let sorted = order.map { pushes[$0] }
        do {
            let attempts = try await transactions.run(
                in: sorted[0].space, lockTimeout: PushRunner.sharedLockTimeout
            ) { [store] session in
                try PushTransaction(store: store, committing: onlyWaits).runAcrossSpaces(sorted, on: session)
            }
            return pushes.indices.map { index in attempts[order.firstIndex(of: index)!] }
        } catch PGError.lockTimeout {
            return pushes.map { _ in .interrupted }
        } catch  where pushes.count > 1 && PushRunner.mayBeOfOne(error) {
            return pushes.map { _ in .interrupted }
        } catch let error as PGError where pushes.count == 1 && error.refusesData {
            return [.untaken(error)]
        }
    }

    /// Runs pushes into one space in one transaction, and returns the outcome of each, in their order.
    private func runInOneSpace(
        _ pushes: [Push], _ onlyWaits: @escaping @Sendable () -> Void
    ) async throws -> [PushAttempt] {
        ownTransactions.add()
        do {
            return try await transactions.run(in: pushes[0].space) { [store] session in
                try PushTransaction(store: store, committing: onlyWaits).run(pushes, on: session)
            }
        } catch  where pushes.count > 1 && PushRunner.mayBeOfOne(error) {
            // The push at fault meets the error again by itself, and does not keep the others from being stored.
            return pushes.map { _ in .interrupted }
        } catch let error as PGError where pushes.count == 1 && error.refusesData {
            return [.untaken(error)]
        }
    }

    /// Returns true if an error may be caused by one of several pushes in a transaction, so that the others can be
    /// stored without it. An error of the connection, or of PostgreSQL as a whole, such as a full disk, would stop all
    /// of them.
    private static func mayBeOfOne(_ error: any Error) -> Bool {
        guard let error = error as? PGError else { return true }
        return switch error {
        case .tooManyConnections, .lockTimeout, .insufficientPrivilege, .readOnly, .diskFull: false
        default: error.report != nil
        }
    }
}

/// A counter of events.
private final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}

extension Push {
    /// The changes that are not in quarantine, by index in the request, with their records.
    fileprivate var open: [(index: Int, key: WorkingSet.Key)] {
        changes.filter { quarantine.reasons[$0.index] == nil }.map { ($0.index, $0.change.key) }
    }

    /// Returns a dry run of some changes of this push, together with those that are in quarantine.
    fileprivate func trial(of indices: [Int]) -> Push {
        var trial = self
        let wanted = Set(indices)
        trial.changes.removeAll { !wanted.contains($0.index) && quarantine.reasons[$0.index] == nil }
        trial.purpose = .trial
        return trial
    }

    fileprivate mutating func leaveOut(_ refusal: Refusal, texts: [Int: [UInt8]]) {
        quarantine.hold(refusal.held, texts: texts)
        if refusal.rejections.values.contains(where: { $0.code == .unique }) { uniqueRounds += 1 }
        if quarantine.isReplay {
            quarantine.hold(refusal.rejections.mapValues { QuarantineReason($0) }, texts: [:])
        } else {
            refused += changes.compactMap { sent in refusal.rejections[sent.index].map { (sent, $0) } }
            changes.removeAll { refusal.rejections[$0.index] != nil }
        }
    }
}
