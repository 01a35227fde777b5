import PGStore
import Postgres
import WireFormats

/// Determines which records of a push exist, and which of their references read as null. It runs after all changes of
/// the push are merged.
///
/// A record exists if it is alive itself and no record on which it depends is dead. It depends on each record whose
/// deletion would cascade to it, whichever of the two refers to the other. A record that the space has never received
/// does not count as dead, because it may arrive later.
struct PushCascade {
    let hub: Hub
    let tables: [RecordTable]
    let space: ID

    /// The liveness of a record outside the push.
    private enum Liveness {
        case alive
        case dead
        case absent
    }

    func settle(_ work: inout WorkingSet, _ session: isolated Session) throws {
        var outside = try lookUp(work, session)
        while try loadFallen(&work, outside, session) {
            outside = try lookUp(work, session)
        }
        for slot in work.indices where !hub.entities[work[slot].key.entity].references.isEmpty {
            let bits = danglingBits(of: work[slot], outside, work)
            work[slot].state.dangling = bits
        }
    }

    /// Determines in memory which records exist, and loads dead records that may be restored.
    ///
    /// These are records that were deleted by a cascade from a record that is restored now, and dead records on which a
    /// record of the push depends.
    ///
    /// - Returns: true if records were loaded. The function must then be called again, because more records may depend
    ///   on them.
    private func loadFallen(
        _ work: inout WorkingSet, _ outside: Outside, _ session: isolated Session
    ) throws -> Bool {
        settleLiveness(work, outside)
        var commands: [Command] = []
        var entities: [Int] = []
        var missing: [Int: Set<ID>] = [:]
        func mayReturn(_ slot: Int) -> Bool {
            work[slot].before?.isAlive == false && work[slot].state.isAliveItself
        }
        // A record that is new, or whose references have changed, may close a ring of returning records, and is dead as
        // long as the ring is.
        func isKeptDead(_ slot: Int) -> Bool { work[slot].state.isAliveItself && !work[slot].state.isAlive }
        let anyReturns = work.indices.contains(where: mayReturn)
        for target in work.entities {
            let returning = work.slots(of: target).filter { slot in
                mayReturn(slot) || anyReturns && isKeptDead(slot)
            }
            // Records that cascade to each other in a ring were deleted together and return together. So for those that
            // are still dead, this asks which records keep them dead.
            let (revived, kept) = (
                returning.filter { work[$0].state.isAlive }, returning.filter { !work[$0].state.isAlive }
            )
            for (entity, reference) in hub.referrers[target] {
                let (dies, takes) = (
                    hub.entities[entity].references[reference].diesWithTarget,
                    hub.entities[entity].references[reference].takesTargetAlong
                )
                let ids = (dies ? revived : []).map { work[$0].key.id } + (takes ? kept : []).map { work[$0].key.id }
                if ids.isEmpty { continue }
                commands.append(tables[entity].fallen(with: ids, by: reference, in: space))
                entities.append(entity)
            }
            for reference in hub.entities[target].references where reference.takesTargetAlong {
                let ids = work.slots(of: target).flatMap { work[$0].released(by: reference) }
                if ids.isEmpty { continue }
                commands.append(tables[reference.target].selectingLiveness(ids, in: space))
                entities.append(reference.target)
            }
            for reference in hub.entities[target].references where reference.diesWithTarget {
                for id in targets(of: kept, by: reference, work)
                where outside.fallen.contains(WorkingSet.Key(entity: reference.target, id: id)) {
                    missing[reference.target, default: []].insert(id)
                }
            }
        }
        let results = commands.isEmpty ? [] : try session.pipeline(commands)
        for (entity, rows) in zip(entities, results) {
            for id in rows.ids where !work.contains(WorkingSet.Key(entity: entity, id: id)) {
                missing[entity, default: []].insert(id)
            }
        }
        if missing.isEmpty { return false }
        try work.returning.visit(work.indices.count)
        try work.returning.take(missing.values.reduce(0) { $0 + $1.count })
        let order = missing.keys.sorted()
        let loaded = try session.pipeline(order.map { tables[$0].selecting(Array(missing[$0]!), in: space, needed: 0) })
        for (entity, rows) in zip(order, loaded) {
            // Sorted as they are written, like all other records that exist.
            let states = (0..<rows.count).map { tables[entity].state(rows, $0) }.sorted { $0.id < $1.id }
            for state in states {
                let key = WorkingSet.Key(entity: entity, id: state.id)
                let entry = WorkingSet.Entry(key: key, before: state, state: state)
                entry.copy.doubts = .returning
                work.add(entry)
            }
        }
        return true
    }

    private func targets(
        of slots: [Int], by reference: HubEntity.Reference, _ work: WorkingSet
    ) -> [ID] {
        slots.compactMap { slot in
            guard case .uuid(let id) = work[slot].state.values[reference.column] else { return nil }
            return id
        }
    }

    /// Determines which records of the push exist: as many as can exist together. It starts with all records that are
    /// alive themselves, and each round removes those that depend on a dead record, until nothing changes. So it also
    /// ends for records that depend on each other in a cycle.
    private func settleLiveness(_ work: WorkingSet, _ outside: Outside) {
        for slot in work.indices {
            work[slot].state.isAlive =
                work[slot].state.isAliveItself && !outside.deadReferrers.contains(work[slot].key)
        }
        var changed = true
        while changed {
            changed = false
            for slot in work.indices where work[slot].state.isAlive {
                if isTakenAlong(work[slot], outside, work) {
                    work[slot].state.isAlive = false
                    changed = true
                }
            }
            changed = takeTargetsAlong(work) || changed
        }
    }

    private func isTakenAlong(_ entry: WorkingSet.Entry, _ outside: Outside, _ work: WorkingSet) -> Bool {
        hub.entities[entry.key.entity].references.contains { reference in
            guard reference.diesWithTarget, case .uuid(let target) = entry.state.values[reference.column]
            else { return false }
            return liveness(of: WorkingSet.Key(entity: reference.target, id: target), outside, work) == .dead
        }
    }

    /// Marks records of the push as dead if a dead record of the push refers to them, and the deletion of that record
    /// cascades to its target. Returns true if it marked any.
    private func takeTargetsAlong(_ work: WorkingSet) -> Bool {
        var changed = false
        for slot in work.indices where !work[slot].state.isAlive {
            for reference in hub.entities[work[slot].key.entity].references where reference.takesTargetAlong {
                guard case .uuid(let id) = work[slot].state.values[reference.column],
                    let target = work.slot(of: WorkingSet.Key(entity: reference.target, id: id)),
                    work[target].state.isAlive
                else { continue }
                work[target].state.isAlive = false
                changed = true
            }
        }
        return changed
    }

    private func danglingBits(of entry: WorkingSet.Entry, _ outside: Outside, _ work: WorkingSet) -> UInt64 {
        var bits: UInt64 = 0
        for (position, reference) in hub.entities[entry.key.entity].references.enumerated() {
            guard case .uuid(let id) = entry.state.values[reference.column] else { continue }
            let bit: UInt64 = 1 << UInt64(position)
            let target = WorkingSet.Key(entity: reference.target, id: id)
            if !work.contains(target), entry.stillHolds(reference), let before = entry.before {
                bits |= before.dangling & bit
            } else if liveness(of: target, outside, work) != .alive {
                bits |= bit
            }
        }
        return bits
    }

    private func liveness(of key: WorkingSet.Key, _ outside: Outside, _ work: WorkingSet) -> Liveness {
        if let slot = work.slot(of: key) { return work[slot].state.isAlive ? .alive : .dead }
        switch outside.isAlive[key] {
        case .some(true): return .alive
        case .some(false): return .dead
        case .none: return .absent
        }
    }

    /// The liveness of records outside the push, as stored in the database.
    private struct Outside {
        var isAlive: [WorkingSet.Key: Bool] = [:]
        /// Dead records that were deleted only by cascade, not themselves.
        var fallen: Set<WorkingSet.Key> = []
        /// Records of the push to which a dead record outside the push refers by a relationship that cascades.
        var deadReferrers: Set<WorkingSet.Key> = []
    }

    private func lookUp(_ work: WorkingSet, _ session: isolated Session) throws -> Outside {
        var targets: [Int: Set<ID>] = [:]
        for slot in work.indices {
            for reference in hub.entities[work[slot].key.entity].references {
                guard case .uuid(let id) = work[slot].state.values[reference.column],
                    !work[slot].stillHolds(reference)
                else { continue }
                if !work.contains(WorkingSet.Key(entity: reference.target, id: id)) {
                    targets[reference.target, default: []].insert(id)
                }
            }
        }
        let entities = targets.keys.sorted()
        var commands = entities.map { tables[$0].selectingLiveness(targets[$0]!, in: space) }
        var carried: [(entity: Int, referrer: Int)] = []
        for entity in work.entities {
            for (referrer, reference) in hub.referrers[entity]
            where hub.entities[referrer].references[reference].takesTargetAlong {
                let ids = work.slots(of: entity).filter { !work[$0].wasAlive }.map { work[$0].key.id }
                if ids.isEmpty { continue }
                commands.append(tables[referrer].deadReferrers(of: ids, by: reference, in: space))
                carried.append((entity, referrer))
            }
        }
        var outside = Outside()
        if commands.isEmpty { return outside }
        let results = try session.pipeline(commands)
        for (entity, rows) in zip(entities, results) {
            for record in RecordLiveness.all(rows) {
                let key = WorkingSet.Key(entity: entity, id: record.id)
                outside.isAlive[key] = record.isAlive
                if record.isFallen { outside.fallen.insert(key) }
            }
        }
        for ((entity, referrer), rows) in zip(carried, results.dropFirst(entities.count)) {
            // For a record of the push, the database returns the state before the push.
            for row in ReferrerRow.all(rows) where !work.contains(WorkingSet.Key(entity: referrer, id: row.id)) {
                outside.deadReferrers.insert(WorkingSet.Key(entity: entity, id: row.target))
            }
        }
        return outside
    }
}

extension WorkingSet.Entry {
    /// Returns the targets of one of the record's references that may be restored now. They were deleted together with
    /// the record. Now the record is alive again, or the reference has another target.
    fileprivate func released(by reference: HubEntity.Reference) -> [ID] {
        guard let before, !before.isAlive else { return [] }
        let (was, now) = (before.values[reference.column], state.values[reference.column])
        guard state.isAlive || was != now else { return [] }
        return Set([was, state.isAlive ? now : .null]).compactMap { if case .uuid(let id) = $0 { id } else { nil } }
    }

    /// Returns true if the record was alive before the push and its reference still has the same target. The stored bit
    /// that says if the reference reads as null is then still right.
    fileprivate func stillHolds(_ reference: HubEntity.Reference) -> Bool {
        guard let before, before.isAlive else { return false }
        return before.values[reference.column] == state.values[reference.column]
    }
}
