import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// The effects of a push on records that it does not name. Some of them are deleted by cascade. In others, a reference
/// now reads as null because its target was deleted, or no longer reads as null because its target exists now.
///
/// All this is done on sets of records in SQL, so its cost depends only on the number of affected records.
struct SpaceCascade {
    private let hub: Hub
    private let tables: [RecordTable]
    private let space: ID
    /// The dead records of the push from which the cascade starts, by entity.
    private var deleted: [Int: Set<ID>] = [:]
    private var arrived: [Int: Set<ID>] = [:]
    /// For each deleted record of the push: the record whose deletion cascaded to it, or the record itself if no other
    /// deletion did.
    private var deaths: [WorkingSet.Key: WorkingSet.Key] = [:]

    init(hub: Hub, tables: [RecordTable], space: ID, of work: WorkingSet) {
        self.hub = hub
        self.tables = tables
        self.space = space
        for slot in work.indices where concernsOthers(work[slot].key.entity) {
            let (key, isAlive, wasAlive) = (work[slot].key, work[slot].state.isAlive, work[slot].wasAlive)
            if isAlive, !wasAlive {
                arrived[key.entity, default: []].insert(key.id)
            } else if !isAlive,
                wasAlive || work[slot].before == nil || work[slot].refersElsewhere(hub.entities[key.entity])
            {
                deleted[key.entity, default: []].insert(key.id)
                deaths[key] = key
            }
        }
        if hub.hasDenials { attribute(work) }
    }

    /// Determines the cause of each deletion by cascade among the push's records, and stores it in `deaths`.
    private mutating func attribute(_ work: WorkingSet) {
        var open = deaths.keys.filter { work.state(of: $0)!.isAliveItself }
        for key in open { deaths[key] = nil }
        var isStuck = false
        while !open.isEmpty && !isStuck {
            let found = open.compactMap { key in taker(of: key, work).map { (key, $0) } }
            for (key, taker) in found { deaths[key] = taker }
            open.removeAll { deaths[$0] != nil }
            isStuck = found.isEmpty
        }
        // The deletions that cascaded to these are from before the push.
        for key in open { deaths[key] = key }
    }

    /// Returns a record whose deletion cascades to this record, from among the records that are known to be deleted so
    /// far. `nil` if there is none.
    private func taker(of key: WorkingSet.Key, _ work: WorkingSet) -> WorkingSet.Key? {
        for reference in hub.entities[key.entity].references where reference.diesWithTarget {
            guard case .uuid(let id) = work.state(of: key)!.values[reference.column] else { continue }
            let target = WorkingSet.Key(entity: reference.target, id: id)
            if deaths[target] != nil { return target }
        }
        return work.indices.lazy.map { work[$0] }.first { other in
            deaths[other.key] != nil
                && hub.entities[other.key.entity].references.contains { reference in
                    reference.takesTargetAlong && reference.target == key.entity
                        && other.state.values[reference.column] == .uuid(key.id)
                }
        }?.key
    }

    var isEmpty: Bool { deleted.isEmpty && arrived.isEmpty }
    var hasDeaths: Bool { !deleted.isEmpty }

    /// The result of a cascade.
    struct Outcome {
        /// The last sequence number that was assigned.
        var head: Int64
        /// For each deleted record, the record whose deletion cascaded to it; the record itself, if no other deletion
        /// did.
        var deaths: [WorkingSet.Key: WorkingSet.Key]
        /// The number of records that the cascade deleted and that the push does not name.
        var deletedCount: Int64 = 0
    }

    /// Follows the cascade to its end. Each record is deleted once, so cycles end.
    func run(from head: Int64, _ session: isolated Session) throws -> Outcome {
        var outcome = Outcome(head: head, deaths: deaths)
        for (entity, ids) in arrived.sorted(by: { $0.key < $1.key }) {
            for (referrer, reference) in hub.referrers[entity] {
                let regained = try session.execute(
                    tables[referrer].regaining(ids, by: reference, in: space, head: outcome.head))
                outcome.head += Int64(regained.number)
            }
        }
        var frontier = PlantedBug.deleteRuleSkipped.isPlanted ? [:] : deleted
        while !frontier.isEmpty {
            var next: [Int: Set<ID>] = [:]
            for (entity, ids) in frontier.sorted(by: { $0.key < $1.key }) {
                try bury(ids, of: entity, &outcome, &next, session)
            }
            frontier = next
        }
        return outcome
    }

    private func bury(
        _ ids: Set<ID>, of entity: Int, _ outcome: inout Outcome, _ next: inout [Int: Set<ID>],
        _ session: isolated Session
    ) throws {
        for (referrer, reference) in hub.referrers[entity] {
            let (table, dies) = (tables[referrer], hub.entities[referrer].references[reference].diesWithTarget)
            guard dies, concernsOthers(referrer) else {
                // These may be all records of a space, and nobody needs their ids.
                let counting = table.countingLosses(of: ids, by: reference, in: space, head: outcome.head)
                let count = Int64(try session.execute(counting).number)
                outcome.head += count
                outcome.deletedCount += dies ? count : 0
                continue
            }
            let losing = table.losing(ids, by: reference, in: space, head: outcome.head)
            let dead = ReferrerRow.all(try session.execute(losing))
            outcome.head += Int64(dead.count)
            outcome.deletedCount += Int64(dead.count)
            for row in dead {
                next[referrer, default: []].insert(row.id)
                outcome.deaths[WorkingSet.Key(entity: referrer, id: row.id)] =
                    WorkingSet.Key(entity: entity, id: row.target)
            }
        }
        guard hub.entities[entity].references.contains(where: \.takesTargetAlong) else { return }
        let held = ReferencesRow.all(try session.execute(tables[entity].selectingReferences(ids, in: space)))
        for (position, reference) in hub.entities[entity].references.enumerated() where reference.takesTargetAlong {
            var takers: [ID: ID] = [:]
            for row in held {
                if let target = row.targets[position] { takers[target] = row.id }
            }
            if takers.isEmpty { continue }
            let buried = try session.execute(
                tables[reference.target].burying(takers.keys, in: space, head: outcome.head))
            outcome.head += Int64(buried.count)
            outcome.deletedCount += Int64(buried.count)
            for id in buried.ids {
                next[reference.target, default: []].insert(id)
                outcome.deaths[WorkingSet.Key(entity: reference.target, id: id)] =
                    WorkingSet.Key(entity: entity, id: takers[id]!)
            }
        }
    }

    /// Returns true if the creation or deletion of the entity's records may change other records.
    private func concernsOthers(_ entity: Int) -> Bool { hub.concernsOthers(entity) }
}

extension Hub {
    /// Returns true if the creation or deletion of the entity's records may change other records.
    func concernsOthers(_ entity: Int) -> Bool {
        !referrers[entity].isEmpty
            || entities[entity].references.contains { $0.takesTargetAlong || $0.isKeptByTarget }
    }
}

extension WorkingSet.Entry {
    /// Returns true if a reference has another target than before the push, and the deletion of this record cascades to
    /// its target.
    fileprivate func refersElsewhere(_ entity: HubEntity) -> Bool {
        entity.references.contains { $0.takesTargetAlong && before?.values[$0.column] != state.values[$0.column] }
    }
}
