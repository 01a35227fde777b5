import PGStore
import Postgres
import WireFormats

/// The records that one push reads or writes, in memory: each as stored before the push, as merged so far, and as the
/// pushing device has it.
struct WorkingSet {
    struct Key: Hashable {
        let entity: Int
        let id: ID
    }

    /// One record of a push. A class, because every stage of a push changes entries in place.
    final class Entry {
        let key: Key
        /// The record as stored in the database; `nil` for a new record.
        let before: RecordState?
        let isNew: Bool
        var state: RecordState
        /// The bytes of `state`, if a change was merged into it; otherwise `nil`.
        var sizeBytes: Int?
        /// The pushing device's copy of the record.
        var copy = DeviceCopy()

        init(key: Key, before: RecordState?, state: RecordState) {
            self.key = key
            self.before = before
            isNew = before == nil
            self.state = state
        }

        /// Applies a change to the device's copy.
        ///
        /// - Parameter isNew: true if the change made the record.
        func note(_ change: Change, isNew: Bool, in entity: HubEntity) {
            copy.note(change, isNew: isNew, wasDead: state.deletedStamp != .never, in: entity)
        }
    }

    /// The records in the order in which they get their sequence numbers: existing records by table and id, then new
    /// records in the order in which the push first named them.
    private var entries: [Entry] = []
    private var slots: [Key: Int] = [:]
    /// The entities whose creations are inserted without looking whether the records exist.
    var optimistic: Set<Int> = []
    /// This push's share of the budget for records that are loaded because they may be restored.
    let returning: ReturningBudget.Share

    init(capacity: Int, returning budget: ReturningBudget) {
        returning = ReturningBudget.Share(of: budget)
        entries.reserveCapacity(capacity)
        slots.reserveCapacity(capacity)
    }

    var indices: Range<Int> { entries.indices }

    subscript(slot: Int) -> Entry { entries[slot] }

    func slot(of key: Key) -> Int? { slots[key] }

    /// Returns the record in its current state after the changes merged so far; `nil` for a record that is not in the
    /// set.
    func state(of key: Key) -> RecordState? { slots[key].map { entries[$0].state } }

    func contains(_ key: Key) -> Bool { slots[key] != nil }

    /// Returns true if the change creates a record that is taken for new, so that the database was not asked for it.
    func isOptimistic(_ change: Change) -> Bool {
        change.operation == .create && optimistic.contains(change.key.entity) && !contains(change.key)
    }

    /// Adds a record that is not in the set yet.
    mutating func add(_ entry: Entry) {
        slots[entry.key] = entries.count
        entries.append(entry)
    }

    /// The entities that have records in the set, as indices into `Hub.entities`, in ascending order.
    var entities: [Int] {
        var found: [Int] = []
        for entry in entries where !found.contains(entry.key.entity) { found.append(entry.key.entity) }
        return found.sorted()
    }

    /// Returns the records to write, entity by entity, new records before existing ones. A batch has at most `bytesMax`
    /// bytes, or one record.
    func batches(ofBytes bytesMax: Int, _ hub: Hub) -> [WriteBatch] {
        entities.flatMap { entity in
            var new = [WriteBatch(entity: entity, isNew: true)]
            var known = [WriteBatch(entity: entity, isNew: false)]
            new[0].reserveCapacity(entries.count { $0.isNew && $0.key.entity == entity })
            for entry in entries where entry.key.entity == entity {
                if entry.isNew {
                    new.add(entry, keeping: 0, bytesMax: bytesMax)
                } else if entry.isChanged {
                    known.add(entry, keeping: entry.kept(in: hub.entities[entity]), bytesMax: bytesMax)
                }
            }
            return (new + known).filter { !$0.states.isEmpty }
        }
    }

    /// Returns the indices of all records of an entity, as positions in this set.
    func slots(of entity: Int) -> [Int] {
        entries.indices.filter { entries[$0].key.entity == entity }
    }
}

extension WorkingSet.Entry {
    var wasAlive: Bool { before?.isAlive ?? false }

    /// True if devices must receive the record, because it reads differently or an edit in it has a later stamp than
    /// before. The stamp matters for a device whose own edit has an earlier stamp: the device's edit loses, and the
    /// device would otherwise not receive the value that won.
    var isNews: Bool {
        guard let before else { return true }
        if before.isAlive != state.isAlive { return true }
        if !state.isAlive { return before.deletedStamp != state.deletedStamp }
        return before.values != state.values || before.dangling != state.dangling || before.stamps != state.stamps
            || before.createdStamp != state.createdStamp
    }

    /// Returns the large columns that need not be written, because they were not read or have not changed: one bit for
    /// each column, as in `HubEntity.largeBits`.
    fileprivate func kept(in entity: HubEntity) -> UInt64 {
        guard let before else { return 0 }
        var bits = state.withheld
        for column in entity.largeColumns
        where state.values[column].sizeBytes > RecordTable.withheldMinBytes
            && state.values[column] == before.values[column]
        {
            bits |= entity.largeBits[column]
        }
        return bits
    }

    /// True if the record must be written.
    var isChanged: Bool { before != state }
}
