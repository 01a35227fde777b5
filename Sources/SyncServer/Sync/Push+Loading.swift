import PGStore
import WireFormats

// The first step of a push: what it finds.
extension Push {
    /// Takes the space's lock with a number for each record, so that numbers are given in commit order and no writer of
    /// another space waits; then, in the same round trip, reads every record that a change names; and in another, where
    /// there may be any, what was remembered to stand for stamps that were too far ahead when they first came. Each
    /// statement sees what was committed before it began, so the records are read as they are under the lock.
    func lockAndLoad(_ session: isolated Session) throws -> (Outcome, WorkingSet, clamped: [Stamp: Stamp]) {
        let ids = ids
        let entities = ids.indices.filter { !ids[$0].isEmpty }
        let loading = entities.map { tables[$0].selecting(ids[$0], in: space) }
        // One for each record; one too many where a record is named again, and then the head is set right at the end.
        let claiming = spaces.claiming(changes.count, in: space)
        var results = try session.pipeline([claiming] + loading)
        if results[0].count == 0 {
            results = Array(try session.pipeline([spaces.creating(space), claiming] + loading).dropFirst())
        }
        let claim = SpaceClaim(results[0])
        let state = claim.state
        let outcome = Outcome(
            verdicts: Array(repeating: nil, count: count), headBefore: state.head, headClaimed: claim.head,
            head: state.head, epoch: state.epoch)
        guard !spaces.isOutdated(for: state) else { throw SyncError.outdated }
        try admit(state)
        let clamped = try holdings.given ?? (claim.mayHaveClamps ? recallClamps(session) : [:])
        return (outcome, workingSet(entities, Array(results.dropFirst())), clamped)
    }

    private func recallClamps(_ session: isolated Session) throws -> [Stamp: Stamp] {
        let stamps = changes.map(\.stamp)
        let rows = try session.execute(
            spaces.recallingClamps(
                from: stamps.min() ?? .never, through: stamps.max() ?? .never, device: clampedDevice, in: space))
        var clamped: [Stamp: Stamp] = [:]
        for row in 0..<rows.count {
            clamped[Stamp(unchecked: rows.int(row, 0))] = Stamp(unchecked: rows.int(row, 1))
        }
        return clamped
    }

    /// The known records, by table and id. PostgreSQL updates them in that order; numbered in the same, records that
    /// follow each other in a pull were written one after the other.
    private func workingSet(_ entities: [Int], _ results: [Rows]) -> WorkingSet {
        var work = WorkingSet(capacity: changes.count)
        for (entity, rows) in zip(entities, results) {
            var known: [WorkingSet.Entry] = []
            known.reserveCapacity(rows.count)
            for row in 0..<rows.count {
                let state = tables[entity].state(rows, row)
                known.append(
                    WorkingSet.Entry(key: WorkingSet.Key(entity: entity, id: state.id), before: state, state: state))
            }
            known.sort { $0.key.id < $1.key.id }
            for entry in known { work.add(entry) }
        }
        return work
    }

    /// The ids that the changes name, by entity; one may be named again.
    private var ids: [[ID]] {
        changes.reduce(into: Array(repeating: [], count: hub.entities.count)) { ids, item in
            ids[item.change.projection.entity].append(item.change.id)
        }
    }
}
