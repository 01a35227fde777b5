import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// The stage that merges each change into its record, in memory. It skips changes whose verdict was remembered from an
/// earlier push.
extension PushContext {
    /// Merges all changes of the push that have no verdict yet.
    ///
    /// - Returns: `nil` if the push can go on. Otherwise the outcome: `refused` for changes that must be put into
    ///   quarantine, or `insertConflict`.
    /// - Throws: `PGError`, `SyncError.tooMuchRepeated`.
    mutating func merge(_ session: isolated Session) throws -> PushAttempt? {
        let push = push
        let counted = push.changes.filter {
            !$0.change.counts.isEmpty && push.quarantine.reasons[$0.index] == nil
                && outcome.verdicts[$0.index] == nil
        }
        try counting.lookUp(counted, store.spaces, push.space, session)
        var missing = try push.quarantine.creations(
            awaitedBy: push.changes, work, store.hub, push.space, session)
        var refusal = Push.Refusal()
        var rewritten: [WorkingSet.Key: Set<Int>] = [:]
        for (index, change, sent) in push.changes {
            if let given = clamps[sent] { outcome.stamps[index] = given }
            if let judged = outcome.verdicts[index] {
                if !judged.leavesNothing, let slot = work.slot(of: change.key) {
                    work[slot].note(change, isNew: false, in: entity(of: change.key))
                }
                continue
            }
            do {
                if let holding = push.quarantine.reasons[index] {
                    outcome.verdicts[index] = .held(holding)
                    noteHeld(index, change, sent: sent, &rewritten)
                } else if change.operation == .update, missing.contains(change.key),
                    !work.contains(change.key)
                {
                    refusal.held[index] = QuarantineReason(.behindHeld, "The creation of \(change.id) is held.")
                } else {
                    outcome.verdicts[index] = try apply(change, at: index, sent: sent)
                    continue
                }
            } catch let rejection as Rejection {
                if work.isOptimistic(change) { return .insertConflict }
                outcome.verdicts[index] = .rejected(rejection)
                continue
            } catch let error as LensFailure {
                if work.isOptimistic(change) { return .insertConflict }
                refusal.held[index] = QuarantineReason(.lensFailed, error.reason)
            }
            if change.operation == .create, !work.contains(change.key) { missing.insert(change.key) }
        }
        return refusal.isEmpty ? nil : .refused(refusal)
    }

    /// Stores which fields of a quarantined change only repeat a value that the device had read. A later replay of the
    /// change does not take them for edits.
    ///
    /// - Parameter rewritten: for each record, the merge units (attributes that win or lose together) that the push's
    ///   quarantined changes have edited so far. The units that this change edits are added.
    private mutating func noteHeld(
        _ index: Int, _ change: Change, sent: Stamp, _ rewritten: inout [WorkingSet.Key: Set<Int>]
    ) {
        let entry = work.slot(of: change.key).map { work[$0] }
        if push.quarantine.isReplay { return }
        let reading = HeldReading(
            of: change, in: push.mode, on: entry?.state, read: entry.flatMap { push.read($0) },
            rewritten: rewritten[change.key, default: judgements.unitsHeld(before: sent, of: change.key)],
            entity(of: change.key))
        let edited = reading.divide(change).rest.edits.map { change.projection.fields[$0.field].unit }
        rewritten[change.key, default: []].formUnion(edited)
        readings[index] = reading
    }

    /// The most bytes of records that one push may process because it changes records more than once, 64 MiB. Each
    /// change of a record counts with the record's size, except the first.
    ///
    /// A union (an array that is merged by elements) of 50,000 elements takes milliseconds to merge, and may be edited
    /// a hundred times in a push. A record of 10 KB may be edited by all changes of a push.
    static let repeatedMaxBytes = 64 << 20

    /// Merges one change, and returns its verdict.
    ///
    /// - Parameter index: the index of the change in the request.
    /// - Throws: `Rejection` or `LensFailure` if the change cannot be merged; the record is then unchanged.
    ///   `SyncError.tooMuchRepeated` if the push exceeds `repeatedMaxBytes`.
    private mutating func apply(_ change: Change, at index: Int, sent: Stamp) throws -> Verdict {
        let key = change.key
        let entity = entity(of: key)
        guard let slot = work.slot(of: key) else {
            let stamp = clamps.stamp(of: change, sent: sent, on: nil)
            try change.checkComplete(on: nil)
            var state = try ConflictMerge.starting(change, at: stamp, in: entity)
            let counts = try counting.step(for: change, sent: sent, at: stamp, on: state)
            let sizeBytes = try checkSize(of: state, after: nil)
            counting.take(counts, at: stamp, into: &state, in: entity)
            let entry = WorkingSet.Entry(key: key, before: nil, state: consume state)
            entry.sizeBytes = sizeBytes
            entry.note(change, isNew: true, in: entity)
            work.add(entry)
            return .applied
        }
        let entry = work[slot]
        // Only a record into which a change was merged has a size.
        if let size = entry.sizeBytes {
            repeatedBytes += size
            guard repeatedBytes <= PushContext.repeatedMaxBytes else {
                throw SyncError.tooMuchRepeated(bytes: repeatedBytes, max: PushContext.repeatedMaxBytes)
            }
        }
        let before = entry.state
        let reading = PlantedBug.replayForgetsReading.isPlanted ? nil : push.quarantine.reading(of: index)
        let stamp = clamps.stamp(of: change, sent: sent, on: before)
        try change.checkComplete(on: before)
        var state = before
        let readers = store.readers[key.entity]
        let begins = change.operation == .create && entry.beginsAnew(at: stamp, for: push)
        if begins, !PlantedBug.deletedComesBack.isPlanted {
            try ConflictMerge.restart(&state, as: change, at: stamp, in: entity, readers)
        }
        let hasEchoes = push.mode == .whole && reading == nil && !begins
        let takenBack = hasEchoes ? judgements.unitsHeld(before: sent, of: key) : []
        let news = hasEchoes ? change.withoutEchoes(of: before, in: entity) : change
        let counts = try counting.step(for: change, sent: sent, at: stamp, on: state, begins: begins)
        // A replayed change was sent by a device that may have held something else. A device that creates a record
        // again knows that the record was deleted, though perhaps by this same push.
        let read = push.quarantine.isReplay || begins ? nil : push.read(entry)
        var merged: ConflictMerge.Outcome
        if let reading {
            merged = try ConflictMerge.replay(
                news, reading, at: stamp, to: &state, in: entity, readers: readers, mode: push.mode)
        } else {
            merged = try ConflictMerge.apply(
                news, at: stamp, to: &state, in: entity, readers: readers,
                read: PlantedBug.repetitionUnheld.isPlanted ? before : read)
            let repeated = takenBack.isEmpty ? [] : change.fields(in: takenBack, besides: news)
            if !repeated.isEmpty {
                merged.add(try ConflictMerge.sayAgain(repeated, of: change, at: stamp, in: &state, entity, readers))
            }
        }
        let sizeBytes = try checkSize(of: state, after: before)
        counting.take(counts, at: stamp, into: &state, in: entity)
        // The entry changes only now, so that a refused change has changed nothing.
        entry.copy.spellOut(before)
        entry.state = state
        entry.sizeBytes = sizeBytes
        merged.hasWon = merged.hasWon || counts.hasWon
        merged.kept += counts.kept
        entry.note(change, isNew: false, in: entity)
        if !merged.hasWon || !merged.kept.isEmpty || merged.isJoined { entry.copy.doubts.insert(.lost) }
        if !merged.hasWon { return .superseded }
        if !merged.kept.isEmpty { return .merged(kept: merged.kept) }
        let isSame = before.values == state.values && before.isAliveItself == state.isAliveItself
        if !isSame { return .applied }
        if state != before { saidAgain.insert(index) }
        return .unchanged
    }

    /// Checks that a record is within the size limit. A record that was over the limit before the change may still grow
    /// a little.
    ///
    /// - Parameters:
    ///   - state: the record after the change.
    ///   - before: the record before it; `nil` if there was none.
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
}

extension WorkingSet.Entry {
    /// Returns true if the change creates a record again and the device knows of the record's deletion: it has read the
    /// deletion, or deletes the record in the same push.
    fileprivate func beginsAnew(at stamp: Stamp, for push: Push) -> Bool {
        if state.isAliveItself || stamp <= state.deletedStamp || push.quarantine.isReplay { return false }
        return state.deletedStamp != before?.deletedStamp ?? .never || before.map(push.reading.holds) ?? false
    }
}
