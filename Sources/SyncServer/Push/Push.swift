import PGStore
import PlantedBugs
import WireFormats

/// One push inside its transaction, from locking the space to the statements that end it. Read top to bottom: this is
/// the way of a push.
struct Push {
    let hub: Hub
    let tables: [RecordTable]
    /// All versions' views, by entity.
    let readers: [[Projection]]
    let spaces: Spaces
    let returning: ReturningBudget
    let space: ID
    let device: ID?
    /// How many changes the request has, those at fault too.
    let count: Int
    /// Parsed changes by their place in the request; those at fault already have a verdict.
    var changes: [Sent]
    /// Those that were left out because all of the push showed that they cannot be.
    var refused: [(sent: Sent, rejection: Rejection)] = []
    /// A later stamp is taken for a wrong clock, and replaced by `clampedTo`.
    let latestAccepted: Stamp
    let clampedTo: Stamp
    /// What the device says that it has read and was acknowledged.
    let reading: Reading
    let mode: ChangeMode
    /// Refuses the push for where the space stands, before anything is merged.
    let admit: @Sendable (SpaceState) throws -> Void
    /// Refuses deletions that look like a mistake; `nil` where the device says that they are none.
    let massDeletions: MassDeletions?
    /// What the quarantine takes, keeps or gives back.
    var holdings: Holdings
    /// Whether to see only how it would go, and to end without a trace.
    var isTrial = false
    /// Whether to see only which records PostgreSQL does not take; a trial.
    var isIsolating = false
    /// Whether creations are taken for new where the first of an entity is. To look for each was a sixth of what
    /// PostgreSQL did for a push. Where this was wrong, nothing is stored, and the push must be run without.
    var trustsCreations = true
    /// How often it was run again for what unique values refused.
    var uniqueRounds = 0

    /// A change by its place in the request, with its stamp as it was sent, or the server's time.
    typealias Sent = (index: Int, change: Change, stamp: Stamp)

    /// The most bytes of records in one statement; one record may exceed it. PostgreSQL takes no statement of 1 GiB.
    static let writtenMaxBytes = 4 << 20

    /// Changes that cannot be, as the whole push shows. Nothing was stored: it must be run without them.
    struct Refusal: Error {
        /// By place in the request.
        var rejections: [Int: Rejection] = [:]
        /// What a fault of ours keeps from being merged, by place in the request.
        var holdings: [Int: Holding] = [:]
    }

    /// A creation that was taken for new cannot be made, and could perhaps if the record is there. Nothing was stored:
    /// the push must be run without trust.
    struct Doubt: Error {}

    /// How a trial went. Thrown, so that its transaction is rolled back.
    struct Trial: Error {
        let outcome: Outcome
    }

    /// Which records PostgreSQL does not take, and what it says of each. Thrown, so that the transaction is rolled
    /// back.
    struct Isolation: Error {
        let refused: [WorkingSet.Key: PGError]
    }

    struct Outcome: Sendable {
        /// By place in the request; `nil` for what did not get here.
        var verdicts: [Verdict?]
        /// What counts instead of stamps that were too far ahead, by place in the request.
        var stamps: [Int: Stamp] = [:]
        /// The space's head before and after.
        var headBefore: Int64 = 0
        /// The head that the space's row has had since it was locked.
        var headClaimed: Int64 = 0
        /// No record of the space had more bytes before; `nil` where the space has not been measured.
        var recordSizeBefore: Int64?
        /// The bytes of the largest record that is written.
        var largestWrittenBytes = 0
        var head: Int64 = 0
        var epoch = ID(high: 0, low: 0)
        /// The mark of the space's era.
        var era: Int64?
        /// Whether the device holds already all that the push changed.
        var needsNoEcho = true
    }

    /// Runs pushes into one space on `session`, one after the other, inside a transaction that has entered the space;
    /// ends with COMMIT.
    ///
    /// - Throws: `Refusal`; `Doubt`; `Trial`; what `admit` throws; `SyncError.quarantineFull`; `PGError`, that of a key
    ///   which is there already too, where a creation was trusted.
    static func run(_ pushes: [Push], on session: isolated Session) throws -> [Outcome] {
        try pushes.indices.map { try pushes[$0].run(on: session, isLast: $0 == pushes.count - 1) }
    }

    private func run(on session: isolated Session, isLast: Bool) throws -> Outcome {
        var (outcome, work, clamped, judgements) = try lockAndLoad(session)
        for sent in changes { outcome.verdicts[sent.index] = judgements.verdict(of: sent) }
        try clamp(&clamped, work, outcome, session)
        var counting = Counting(hub: hub, device: device, mode: mode)
        try merge(&work, clamped, &counting, &outcome, session)
        try massDeletions?.check(deletions(in: work, outcome), in: space, session)
        try Settling(hub: hub, tables: tables, space: space).settle(&work, session)
        judgeLives(work, &outcome)
        number(work, &outcome)
        if isIsolating { throw Isolation(refused: try refusedRecords(of: work, session)) }
        if !isTrial { try holdings.settle(changes, outcome, device: device, hub, space, session) }
        let writes = try write(work, clamped, counting, judgements, &outcome, session)
        try finish(writes, outcome, isLast: isLast, session)
        return outcome
    }

    /// Merges each change into its record, in memory, but for what was judged before.
    ///
    /// - Throws: `Refusal` of what must be held; `Doubt`; `PGError`.
    private func merge(
        _ work: inout WorkingSet, _ clamped: [Stamp: Stamp], _ counting: inout Counting, _ outcome: inout Outcome,
        _ session: isolated Session
    ) throws {
        let open = changes.filter { holdings.reasons[$0.index] == nil && outcome.verdicts[$0.index] == nil }
        try counting.lookUp(open, spaces, space, session)
        var missing = try holdings.creations(awaitedBy: changes, work, hub, space, session)
        var refusal = Refusal()
        for (index, change, sent) in changes {
            if let given = clamped[sent] { outcome.stamps[index] = given }
            if let judged = outcome.verdicts[index] {
                if !judged.leavesNothing, let place = work.place(of: change.key) {
                    note(change, in: work[place], isNew: false)
                }
                continue
            }
            do {
                if let holding = holdings.reasons[index] {
                    outcome.verdicts[index] = .held(holding)
                } else if change.operation == .update, missing.contains(change.key), !work.contains(change.key) {
                    refusal.holdings[index] = Holding(.behindHeld, "The creation of \(change.id) is held.")
                } else {
                    let stamp = Push.stamp(of: change, sent: sent, clamped, on: work.state(of: change.key))
                    outcome.verdicts[index] = try apply(change, sent: sent, at: stamp, to: &work, &counting)
                    continue
                }
            } catch let rejection as Rejection {
                if trusts(change, work) { throw Doubt() }
                outcome.verdicts[index] = .rejected(rejection)
                continue
            } catch let error as LensFailure {
                if trusts(change, work) { throw Doubt() }
                refusal.holdings[index] = Holding(.lensFailed, error.reason)
            }
            if change.operation == .create, !work.contains(change.key) { missing.insert(change.key) }
        }
        if !refusal.holdings.isEmpty { throw refusal }
    }

    /// Whether nobody has looked for the record that a change creates.
    private func trusts(_ change: Change, _ work: WorkingSet) -> Bool {
        change.operation == .create && work.trusted.contains(change.key.entity) && !work.contains(change.key)
    }

    /// Adds what stands for each stamp that is too far ahead, and remembers it, so that a retry gets the same one
    /// however late it comes.
    ///
    /// It is later than all that the records have and the push says: the device may have seen that, and believes its
    /// edit to be later. But what the device sent with a later stamp stays later, also where that came first.
    private func clamp(
        _ clamped: inout [Stamp: Stamp], _ work: WorkingSet, _ outcome: Outcome, _ session: isolated Session
    ) throws {
        let ahead = changes.filter {
            $0.stamp > latestAccepted && clamped[$0.stamp] == nil && outcome.verdicts[$0.index] == nil
        }
        if ahead.isEmpty || PlantedBug.clampRemoved.isPlanted { return }
        let seen =
            ahead.compactMap { change in
                work.state(of: change.change.key)?.stamp
            } + changes.lazy.map(\.stamp).filter { $0 <= latestAccepted }
        let first = max(clampedTo.rawValue, (seen.max()?.rawValue ?? 0) + 1)
        let sent = Set(ahead.map(\.stamp)).sorted()
        // All of the device's, which are as many as the space may remember at most.
        let rows = try session.execute(
            spaces.recallingClamps(from: .never, through: .last, device: clampedDevice, in: space))
        let known = (0..<rows.count).map { (sent: rows.int($0, 0), given: rows.int($0, 1)) }
        let given = ClampedOrder(PlantedBug.clampsUnordered.isPlanted ? [] : known).given(
            for: sent.map(\.rawValue), from: first)
        try session.pipeline(
            spaces.makingRoom(forClamps: sent.count, of: clampedDevice, in: space)
                + [spaces.clamping(sent.map(\.rawValue), to: given, device: clampedDevice, in: space)])
        for (stamp, given) in zip(sent, given) { clamped[stamp] = Stamp(unchecked: given) }
    }

    /// The stamp that stands for a change's. Without one it is later than all that the record has: somebody may have
    /// read that, with a clock that is ahead, and have edited it.
    ///
    /// - Parameter sent: the change's own stamp, or the server's time.
    static func stamp(of change: Change, sent: Stamp, _ clamped: [Stamp: Stamp], on state: RecordState?) -> Stamp {
        if let given = clamped[sent] { return given }
        guard change.stamp == nil, let state, !PlantedBug.unstampedLoses.isPlanted else { return sent }
        return max(sent, Stamp(unchecked: state.stamp.rawValue + 1))
    }

    /// Whose stamps are remembered; those of all callers without a device are together.
    var clampedDevice: ID { device ?? ID(high: 0, low: 0) }

    private func apply(
        _ change: Change, sent: Stamp, at stamp: Stamp, to work: inout WorkingSet, _ counting: inout Counting
    ) throws -> Verdict {
        let key = change.key
        let entity = hub.entities[key.entity]
        guard let place = work.place(of: key) else {
            try change.checkComplete(on: nil)
            var state = try Merge.starting(change, at: stamp, in: entity)
            let counts = try counting.step(for: change, sent: sent, at: stamp, on: state)
            let sizeBytes = try checkSize(of: state, after: nil)
            counting.take(counts, at: stamp, into: &state)
            let entry = WorkingSet.Entry(key: key, before: nil, state: consume state)
            entry.sizeBytes = sizeBytes
            note(change, in: entry, isNew: true)
            work.add(entry)
            return .applied
        }
        let entry = work[place]
        let before = entry.state
        try change.checkComplete(on: before)
        var state = before
        let news = mode == .whole ? change.withoutEchoes(of: before, in: entity) : change
        let counts = try counting.step(for: change, sent: sent, at: stamp, on: before)
        // What is replayed was sent by a device that may have held something else; and nobody reads what is dead.
        let read = holdings.isReplay ? nil : entry.before.flatMap { $0.isAlive && reading.holds($0) ? $0 : nil }
        var merged = try Merge.apply(
            news, at: stamp, to: &state, in: entity, readers: readers[key.entity],
            read: PlantedBug.repetitionUnheld.isPlanted ? before : read)
        let sizeBytes = try checkSize(of: state, after: before)
        counting.take(counts, at: stamp, into: &state)
        // Only now, since what is refused has changed nothing.
        entry.spellOut()
        entry.state = state
        entry.sizeBytes = sizeBytes
        merged.hasWon = merged.hasWon || counts.hasWon
        merged.kept += counts.kept
        note(change, in: entry, isNew: false)
        if !merged.hasWon || !merged.kept.isEmpty || merged.isJoined { tellAgain(entry) }
        if !merged.hasWon { return .superseded }
        if !merged.kept.isEmpty { return .merged(kept: merged.kept) }
        let isSame = before.values == state.values && before.isAliveItself == state.isAliveItself
        return isSame ? .unchanged : .applied
    }

    /// - Returns: the bytes of `state`.
    private func checkSize(of state: RecordState, after before: RecordState?) throws(Rejection) -> Int {
        let size = state.sizeBytes
        guard size > SyncEngine.recordSizeMaxBytes else { return size }
        let sizeBefore = before?.sizeBytes ?? 0
        if sizeBefore > SyncEngine.recordSizeMaxBytes, size <= sizeBefore + SyncEngine.grownMaxBytes,
            size <= SpaceState.unmeasured
        {
            return size
        }
        throw Rejection(
            code: .recordTooLarge,
            detail: "With this the record would have \(size) bytes; a record may have "
                + "\(SyncEngine.recordSizeMaxBytes). Keep pictures and files elsewhere, and their address here.")
    }

    /// The device's edit lost against something that it holds, because its clock is behind: it has its edit and would
    /// never hear of what stands, so that is told again.
    private func tellAgain(_ entry: WorkingSet.Entry) {
        guard let before = entry.before else { return }
        if reading.holds(before) { entry.mustBeToldAgain = true }
    }

    /// Remembers what the device now holds.
    private func note(_ change: Change, in entry: WorkingSet.Entry, isNew: Bool) {
        guard change.isInRequestVersion else {
            // What its store holds of it is the app's migration's; and a retry may have been passed over as its own.
            entry.mustEcho = true
            tellAgain(entry)
            return
        }
        entry.view = change.projection
        if change.isRounded {
            entry.mustEcho = true
            tellAgain(entry)
        }
        if change.operation == .create, !isNew || entry.state.died != .never {
            // What the device filled in for attributes that it did not send may not be what an earlier life left there.
            entry.mustEcho = true
        } else if change.operation == .create {
            if change.saysAllAsKept(in: hub.entities[change.projection.entity]) {
                entry.isAsSaid = true
                return
            }
            entry.expected = change.projection.assumed(change.edits)
            if entry.expected.contains(where: { $0 == nil }) { entry.mustEcho = true }
            if change.counts.isEmpty { return }
        } else if change.operation == .update, isNew {
            entry.mustEcho = true
        }
        if entry.expected.isEmpty {
            entry.expected = Array(repeating: nil, count: change.projection.fields.count)
        }
        for edit in change.edits { entry.expected[edit.field] = edit.value }
        for count in change.counts {
            entry.expected[count.field] =
                switch count.amount {
                case .total(let amount), .beginning(let amount): .int(amount)
                // A device that had read what was there before holds the sum as the server does.
                case .increment: nil
                }
        }
    }

    /// A change that edits what stays dead was in vain: a deletion, of the record or of what it belongs to, stands.
    private func judgeLives(_ work: WorkingSet, _ outcome: inout Outcome) {
        // After most pushes everything that they name is alive.
        if work.indices.allSatisfy({ work[$0].state.isAlive }) { return }
        for (index, change, _) in changes where change.operation != .delete {
            guard let place = work.place(of: change.key), !work[place].state.isAlive,
                outcome.verdicts[index]?.leavesNothing != true
            else { continue }
            let isRetry = outcome.verdicts[index] == .unchanged
            if !isRetry { outcome.verdicts[index] = .superseded }
            tellAgain(work[place])
            // A device that begins with this push, and heard nothing of the first, believes the record to live: it must
            // be told of a deletion from before.
            if isRetry, reading == .nothing, work[place].before != nil { work[place].mustBeToldAgain = true }
        }
    }

    /// Gives every record that is news the next number, and says which the device holds so.
    private func number(_ work: WorkingSet, _ outcome: inout Outcome) {
        for place in work.indices {
            let entry = work[place]
            let entity = hub.entities[entry.key.entity]
            var isNews = entry.isNews
            // A retry puts what it says on top of what the device was told meanwhile. Of news, `isHeldByPusher` asks
            // the same.
            if !isNews, entry.state.isAlive, !entry.readsAsExpected(in: entity) {
                tellAgain(entry)
                isNews = entry.isNews
            }
            if !isNews { continue }
            outcome.head += 1
            entry.state.seq = outcome.head
            entry.state.pusher = isHeldByPusher(entry, in: entity) ? device : nil
            if entry.state.pusher == nil { outcome.needsNoEcho = false }
        }
    }

    /// Whether the device has the record as it stands now: what it held before, and its edits.
    private func isHeldByPusher(_ entry: WorkingSet.Entry, in entity: HubEntity) -> Bool {
        guard device != nil, !holdings.isReplay, entry.view != nil, !entry.mustEcho, !entry.mustBeToldAgain else {
            return false
        }
        // A record that it deleted it does not have, whatever it was.
        if !entry.state.isAlive { return !entry.state.isAliveItself }
        if let before = entry.before {
            // It was told that the record is gone, so an edit of a part does not make it whole.
            guard before.isAlive, reading.holds(before) || PlantedBug.staleHeld.isPlanted else { return false }
        }
        return entry.readsAsExpected(in: entity) && !entry.hasTurnedReference(of: entity)
    }

    /// The deletions that end a life, by place in the request.
    private func deletions(in work: WorkingSet, _ outcome: Outcome) -> [Int] {
        newDeletions(in: work, outcome).filter { _, key in
            guard let place = work.place(of: key) else { return false }
            return work[place].wasAlive && !work[place].state.isAliveItself
        }.map(\.index)
    }

    /// The deletions that say what nobody has said: others of the same record have a verdict already, which stays.
    func newDeletions(in work: WorkingSet, _ outcome: Outcome) -> [(index: Int, key: WorkingSet.Key)] {
        changes.compactMap { index, change, sent in
            guard change.operation == .delete, let verdict = outcome.verdicts[index], !verdict.leavesNothing,
                verdict != .superseded, let place = work.place(of: change.key)
            else { return nil }
            let isNew = change.stamp == nil || outcome.stamps[index] ?? sent > work[place].before?.died ?? .never
            return isNew ? (index, change.key) : nil
        }
    }
}
