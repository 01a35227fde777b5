import PGStore
import Postgres
import WireFormats

/// The stage that writes the records of the push, and then the records outside the push to which its deletions cascade
/// or whose references change.
extension PushContext {
    /// The most bytes of records in one statement; one record may exceed it. PostgreSQL takes no statement of 1 GiB.
    static let batchMaxBytes = 4 << 20

    /// Writes the records of the push. If this has no effect on records outside the push, the commands are only added
    /// to `writes`, to be sent later.
    ///
    /// - Parameter isShared: true if pushes into other spaces share the transaction. Those pushes must not wait for a
    ///   cascade, which may be of any size.
    /// - Returns: `nil` if the push can go on; otherwise its outcome.
    /// - Throws: `PGError`.
    mutating func write(isShared: Bool, _ session: isolated Session) throws -> PushAttempt? {
        let writes = firstWrites()
        if writes.isEmpty { return nil }
        let consequences = SpaceCascade(hub: store.hub, tables: store.tables, space: space, of: work)
        if consequences.isEmpty {
            self.writes = writes
            return try checkHeldValues(isFollowed: false, session)
        }
        if isShared, consequences.hasDeaths { return .interrupted }
        try Write.check(writes, try session.pipeline(writes.map(\.command)))
        let followed = try consequences.run(from: outcome.head, session)
        let denied = try denials(of: newDeletions, leadingTo: followed.deaths, session)
        if !denied.isEmpty { return .refused(denied) }
        if let refusal = try push.massDeletions?.refusal(of: self, withElsewhere: followed.deletedCount, session) {
            return .refused(refusal)
        }
        if let stop = try checkHeldValues(isFollowed: true, session) { return stop }
        if followed.head != outcome.head { outcome.needsNoEcho = false }
        outcome.head = followed.head
        deletedElsewhere = followed.deletedCount
        return nil
    }

    private mutating func firstWrites() -> [Write] {
        let spaces = store.spaces
        var commands = [counting.remembering(spaces, at: push.clampedTo, in: push.space)].compactMap { $0 }
        commands += judgements.remembering(
            push.changes, outcome.verdicts, refused: push.refused, readings: readings, spaces,
            at: push.clampedTo, in: push.space)
        commands += [naming.keeping(self)].compactMap { $0 }
        var writes = commands.map { Write(command: $0) }
        // Under the space's lock, a record that did not exist when it was read does not exist now.
        for batch in work.batches(ofBytes: PushContext.batchMaxBytes, store.hub) {
            writes += batch.commands(store.tables[batch.entity], in: push.space).map {
                Write(command: $0, rows: batch.states.count)
            }
            largestWrittenBytes = max(largestWrittenBytes, batch.largestBytes)
        }
        return writes
    }

    /// Returns the deletions that must be rejected, because a relationship with the delete rule `deny` has records at
    /// its other end that stay.
    private func denials(
        of deletions: [(index: Int, key: WorkingSet.Key)], leadingTo deaths: [WorkingSet.Key: WorkingSet.Key],
        _ session: isolated Session
    ) throws -> Push.Refusal {
        if deaths.isEmpty || !store.hub.hasDenials { return Push.Refusal() }
        let denied = try Denials(hub: store.hub, tables: store.tables, space: space, deaths: deaths)
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
