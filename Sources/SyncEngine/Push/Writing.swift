import PGStore
import Postgres
import WireFormats

/// The stage that writes the records, and then the records outside the push that follow from them.
struct Writing {
    /// The most bytes of records in one statement; one record may exceed it. PostgreSQL takes no statement of 1 GiB.
    static let batchMaxBytes = 4 << 20

    /// True if pushes into other spaces share the transaction. Those must not wait for a cascade, which may be of any
    /// size.
    var isShared = false

    /// Writes the records, or leaves the commands in `context.writes` if nothing follows from them.
    ///
    /// - Returns: `nil`, or the result if the push cannot go on.
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
        // Under the space's lock, a record that did not exist when it was read does not exist now.
        for batch in context.work.batches(ofBytes: Writing.batchMaxBytes, context.store.hub) {
            writes += batch.commands(context.store.tables[batch.entity], in: push.space).map {
                PushContext.Write(command: $0, rows: batch.states.count)
            }
            context.largestWrittenBytes = max(context.largestWrittenBytes, batch.largestBytes)
        }
        return writes
    }

    /// Returns the deletions that must be rejected, because a relationship with the delete rule `deny` has records at
    /// its other end that stay.
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

/// The last stage of a push: sends the remaining writes, and ends the transaction.
struct Finishing {
    /// Ends the last push of a transaction: with COMMIT; a trial with ROLLBACK, after deferred constraints have been
    /// checked.
    ///
    /// - Parameter committing: called when only COMMIT is left to wait for.
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

    /// Returns all writes that are still to be sent. They set the head to the last number that the push assigned.
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

    /// Returns the growth that the claim on the space has not counted yet.
    private func uncounted(_ context: PushContext) -> Spaces.Growth {
        var growth = context.growth
        var generator = SystemRandomNumberGenerator()
        growth.records -= Int64(context.push.createdCount)
        growth.bytes = Growing.stepped(growth.bytes, &generator)
        return growth
    }
}
