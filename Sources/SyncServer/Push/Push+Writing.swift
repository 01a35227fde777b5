import PGStore
import WireFormats

// The last steps of a push: what it writes, and how it ends.
extension Push {
    /// Lets lives and references follow what changed.
    ///
    /// - Returns: the writes that are still to be done: all, where nothing follows.
    func write(
        _ work: WorkingSet, _ clamped: [Stamp: Stamp], _ counting: Counting, _ judgements: Judgements,
        _ outcome: inout Outcome,
        _ session: isolated Session
    ) throws -> [Command] {
        var writes = [counting.remembering(spaces, at: clampedTo, in: space)].compactMap { $0 }
        writes += judgements.remembering(
            changes, outcome.verdicts, refused: refused, spaces, at: clampedTo, in: space)
        // Under the space's lock a record that was not there when it was read is not there now.
        for batch in work.batches(ofBytes: Push.writtenMaxBytes, hub) {
            writes += batch.commands(tables[batch.entity], in: space)
            outcome.largestWrittenBytes = max(outcome.largestWrittenBytes, batch.largestBytes)
        }
        if writes.isEmpty { return [] }
        let consequences = Consequences(hub: hub, tables: tables, space: space, of: work)
        if consequences.isEmpty {
            try refuseHeldValues(work, clamped, outcome, isFollowed: false, session)
            return writes
        }
        try session.pipeline(writes)
        let followed = try consequences.run(from: outcome.head, session)
        try refuseDenied(followed.deaths, newDeletions(in: work, outcome), session)
        try refuseHeldValues(work, clamped, outcome, isFollowed: true, session)
        if followed.head != outcome.head { outcome.needsNoEcho = false }
        outcome.head = followed.head
        return []
    }

    /// Ends the push with the head where its numbers ended, and with COMMIT if it is the last of its transaction; or
    /// ends a trial, once constraints that wait for the end have spoken.
    func finish(
        _ writes: [Command], _ outcome: Outcome, isLast: Bool, _ session: isolated Session
    ) throws {
        let recordSize = outcome.largestWrittenBytes.roundedUpToPowerOfTwo
        let grows = outcome.recordSizeBefore.map { $0 < recordSize } ?? false
        let isAsClaimed = outcome.head == outcome.headClaimed && !grows
        let last =
            isAsClaimed ? writes : writes + [spaces.advancing(space, to: outcome.head, recordSize: recordSize)]
        if isTrial {
            try session.pipeline(last + ["SET CONSTRAINTS ALL IMMEDIATE"])
            throw Trial(outcome: outcome)
        }
        if isLast {
            try session.commitPipeline(last)
        } else {
            try session.pipeline(last)
        }
    }

    private func refuseDenied(
        _ deaths: [WorkingSet.Key: WorkingSet.Key], _ deletions: [(index: Int, key: WorkingSet.Key)],
        _ session: isolated Session
    ) throws {
        if deaths.isEmpty || !hub.hasDenials { return }
        let denied = try Denials(hub: hub, tables: tables, space: space, deaths: deaths).find(session)
        var rejections: [Int: Rejection] = [:]
        for (index, key) in deletions {
            guard let staying = denied[key] else { continue }
            let names = staying.map(\.description).joined(separator: ", ")
            rejections[index] = Rejection(
                code: .denied,
                detail: "There are records that must go first, or refer to something else: \(names)"
                    + (staying.count == Denials.namedMax ? " and perhaps more." : "."), children: staying)
        }
        if !rejections.isEmpty { throw Refusal(rejections: rejections) }
    }
}
