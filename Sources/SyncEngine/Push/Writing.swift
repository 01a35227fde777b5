import PGStore
import Postgres
import WireFormats

/// The stage that lets lives and references follow what changed.
struct Writing {
    /// The most bytes of records in one statement; one record may exceed it. PostgreSQL takes no statement of 1 GiB.
    static let batchMaxBytes = 4 << 20

    /// Whether pushes into other spaces share the transaction. They must not wait for deaths that may be any number.
    var isShared = false

    /// Leaves in `writes` what is still to be done: all, where nothing follows.
    ///
    /// - Returns: where the push cannot go on, what it came to.
    /// - Throws: `PGError`.
    func write(_ context: inout PushContext, _ session: isolated Session) throws -> PushAttempt? {
        let writes = writes(of: &context)
        if writes.isEmpty { return nil }
        let store = context.store
        let consequences = SpaceCascade(hub: store.hub, tables: store.tables, space: context.space, of: context.work)
        if consequences.isEmpty {
            context.writes = writes
            return try HeldValues().check(context, isFollowed: false, session)
        }
        if isShared, consequences.hasDeaths { return .interrupted }
        try PushContext.Write.check(writes, try session.pipeline(writes.map(\.command)))
        let followed = try consequences.run(from: context.outcome.head, session)
        let denied = try refusal(of: context.newDeletions, leadingTo: followed.deaths, context, session)
        if !denied.isEmpty { return .refused(denied) }
        if let refusal = try context.push.massDeletions?.refusal(of: context, withElsewhere: followed.died, session) {
            return .refused(refusal)
        }
        if let stop = try HeldValues().check(context, isFollowed: true, session) { return stop }
        if followed.head != context.outcome.head { context.outcome.needsNoEcho = false }
        context.outcome.head = followed.head
        context.diedElsewhere = followed.died
        return nil
    }

    private func writes(of context: inout PushContext) -> [PushContext.Write] {
        let (push, spaces) = (context.push, context.store.spaces)
        var commands = [context.counting.remembering(spaces, at: push.clampedTo, in: push.space)].compactMap { $0 }
        commands += context.judgements.remembering(
            push.changes, context.outcome.verdicts, refused: push.refused, readings: context.readings, spaces,
            at: push.clampedTo, in: push.space)
        commands += [context.naming.keeping(context)].compactMap { $0 }
        var writes = commands.map { PushContext.Write(command: $0) }
        // Under the space's lock a record that was not there when it was read is not there now.
        for batch in context.work.batches(ofBytes: Writing.batchMaxBytes, context.store.hub) {
            writes += batch.commands(context.store.tables[batch.entity], in: push.space).map {
                PushContext.Write(command: $0, rows: batch.states.count)
            }
            context.largestWrittenBytes = max(context.largestWrittenBytes, batch.largestBytes)
        }
        return writes
    }

    /// Why deletions cannot be: a relationship whose delete rule is `deny` has records at its other end that stay.
    private func refusal(
        of deletions: [(index: Int, key: WorkingSet.Key)], leadingTo deaths: [WorkingSet.Key: WorkingSet.Key],
        _ context: PushContext, _ session: isolated Session
    ) throws -> Push.Refusal {
        let store = context.store
        if deaths.isEmpty || !store.hub.hasDenials { return Push.Refusal() }
        let denied = try Denials(hub: store.hub, tables: store.tables, space: context.space, deaths: deaths)
            .find(session)
        var refusal = Push.Refusal()
        for (index, key) in deletions {
            guard let staying = denied[key] else { continue }
            let names = staying.map(\.description).joined(separator: ", ")
            refusal.rejections[index] = Rejection(
                code: .denied,
                detail: "There are records that must go first, or refer to something else: \(names)"
                    + (staying.count == Denials.namedMax ? " and perhaps more." : "."), children: staying)
        }
        return refusal
    }
}

/// The last stage of a push.
struct Finishing {
    /// Ends the last push of a transaction: with COMMIT; a trial with ROLLBACK, once constraints that wait for the end
    /// have spoken.
    ///
    /// - Parameter committing: told when there is only COMMIT left to wait for.
    func finish(_ context: PushContext, committing: () -> Void, _ session: isolated Session) throws {
        let last = writes(of: context).map(\.command)
        switch context.push.purpose {
        case .commit:
            committing()
            try session.commitPipeline(last)
        case .trial, .isolation:
            try session.pipeline(last + ["SET CONSTRAINTS ALL IMMEDIATE"])
            try session.rollBack()
        }
    }

    /// All that is yet to be written, with the head where the push's numbers ended.
    func writes(of context: PushContext) -> [PushContext.Write] {
        let (claim, head) = (context.claim, context.outcome.head)
        let recordSize = context.largestWrittenBytes.roundedUpToPowerOfTwo
        let grows = claim.isMeasured && claim.state.recordSizeBytes < recordSize
        var last = context.writes
        let uncounted = uncounted(context)
        if head != claim.head || grows || uncounted != Spaces.Growth() {
            let advancing = context.store.spaces.advancing(
                context.space, to: head, recordSize: recordSize, growth: uncounted)
            last.append(PushContext.Write(command: advancing, rows: 1))
        }
        return last
    }

    /// What the claim on the space has not counted already.
    private func uncounted(_ context: PushContext) -> Spaces.Growth {
        var growth = context.growth
        var generator = SystemRandomNumberGenerator()
        growth.records -= Int64(context.push.createdCount)
        growth.bytes = Growing.stepped(growth.bytes, &generator)
        return growth
    }
}
