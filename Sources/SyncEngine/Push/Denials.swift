import PGStore
import Postgres
import WireFormats

/// Finds the deletions of a push that must be rejected, because a relationship with the delete rule `deny` has records
/// at its other end that stay.
///
/// Runs after all changes are merged and all cascades are followed to their end. So records that the push itself
/// deletes deny nothing, in whatever order they come, and a cascade cannot bypass the rule.
struct Denials {
    let hub: Hub
    let tables: [RecordTable]
    let space: ID
    /// The records that the push deletes, explicitly or by cascade. Each comes with the record whose deletion cascaded
    /// to it, or with itself if there is none.
    let deaths: [WorkingSet.Key: WorkingSet.Key]

    /// The most records that are named in one rejection. A person resolves them one after the other, so a longer list
    /// would not help.
    static let namedMax = 10

    /// Returns the records whose deletion must be rejected, each with the ids of the records that prevent it.
    ///
    /// They prevent the deletion of the record itself, or of a record to which the deletion cascades. Records that were
    /// deleted only by cascade are not in the result.
    func find(_ session: isolated Session) throws -> [WorkingSet.Key: [ID]] {
        var found: [WorkingSet.Key: [ID]] = [:]
        for (entity, keys) in Dictionary(grouping: deaths.keys, by: \.entity).sorted(by: { $0.key < $1.key }) {
            for (referrer, reference) in hub.referrers[entity]
            where hub.entities[referrer].references[reference].keepsTarget {
                let rows = try session.execute(
                    tables[referrer].livingReferrers(of: keys.map(\.id), by: reference, in: space))
                for row in ReferrerRow.all(rows) {
                    add(row.id, to: WorkingSet.Key(entity: entity, id: row.target), &found)
                }
            }
            guard hub.entities[entity].references.contains(where: \.isKeptByTarget) else { continue }
            try findTargets(of: keys.map(\.id), entity, &found, session)
        }
        return found
    }

    /// Finds living records to which a deleted record refers by a relationship that denies its deletion, and adds them
    /// to `found`.
    private func findTargets(
        of ids: [ID], _ entity: Int, _ found: inout [WorkingSet.Key: [ID]], _ session: isolated Session
    ) throws {
        let rows = ReferencesRow.all(try session.execute(tables[entity].selectingReferences(ids, in: space)))
        for (position, reference) in hub.entities[entity].references.enumerated() where reference.isKeptByTarget {
            let targets = rows.compactMap { row in row.targets[position].map { (of: row.id, $0) } }
            let rows = try session.execute(
                tables[reference.target].selectingLiveness(Set(targets.map(\.1)), in: space))
            let living = Set(RecordLiveness.all(rows).filter(\.isAlive).map(\.id))
            for (id, target) in targets where living.contains(target) {
                add(target, to: WorkingSet.Key(entity: entity, id: id), &found)
            }
        }
    }

    private func add(_ id: ID, to dead: WorkingSet.Key, _ found: inout [WorkingSet.Key: [ID]]) {
        var root = dead
        while let cause = deaths[root], cause != root { root = cause }
        if found[root, default: []].count < Denials.namedMax, found[root]?.contains(id) != true {
            found[root, default: []].append(id)
        }
    }
}
