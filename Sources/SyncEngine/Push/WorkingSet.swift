import PGStore
import Postgres
import WireFormats

/// The records that one push touches, in memory: as they were, as they are becoming, and what their device expects.
struct WorkingSet {
    struct Key: Hashable {
        let entity: Int
        let id: ID
    }

    /// A class, because every step of a push changes entries where they are.
    final class Entry {
        let key: Key
        /// As the database has it; `nil` for a record that is new.
        let before: RecordState?
        let isNew: Bool
        var state: RecordState
        /// The bytes of `state`, where a change made it what it is.
        var sizeBytes: Int?
        /// What the pushing device holds of it.
        var copy = DeviceCopy()

        init(key: Key, before: RecordState?, state: RecordState) {
            self.key = key
            self.before = before
            isNew = before == nil
            self.state = state
        }

        /// Notes what a change says that its device holds now.
        ///
        /// - Parameter isNew: whether the change made the record.
        func note(_ change: Change, isNew: Bool, in entity: HubEntity) {
            copy.note(change, isNew: isNew, wasDead: state.died != .never, in: entity)
        }
    }

    /// In the order of their numbers: those that were there by table and id, then those that are new as the push first
    /// named them.
    private var entries: [Entry] = []
    private var places: [Key: Int] = [:]
    /// The entities whose creations are inserted without a look whether their records exist.
    var optimistic: Set<Int> = []
    /// Those that were loaded because they may come back.
    let returning: ReturningBudget.Share

    init(capacity: Int, returning budget: ReturningBudget) {
        returning = ReturningBudget.Share(of: budget)
        entries.reserveCapacity(capacity)
        places.reserveCapacity(capacity)
    }

    var indices: Range<Int> { entries.indices }

    subscript(place: Int) -> Entry { entries[place] }

    func place(of key: Key) -> Int? { places[key] }

    /// The record as it is becoming; `nil` for one that is not here.
    func state(of key: Key) -> RecordState? { places[key].map { entries[$0].state } }

    func contains(_ key: Key) -> Bool { places[key] != nil }

    /// Whether nobody has looked for the record that a change creates.
    func isOptimistic(_ change: Change) -> Bool {
        change.operation == .create && optimistic.contains(change.key.entity) && !contains(change.key)
    }

    /// Adds a record that is not here yet.
    mutating func add(_ entry: Entry) {
        places[entry.key] = entries.count
        entries.append(entry)
    }

    /// The entities that have records here, as places in `Hub.entities`, in their order.
    var entities: [Int] {
        var found: [Int] = []
        for entry in entries where !found.contains(entry.key.entity) { found.append(entry.key.entity) }
        return found.sorted()
    }

    /// What must be written, entity by entity, new records before those that were there: as many in a batch as have at
    /// most `bytesMax` together, or one record.
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

    /// The places of an entity's records.
    func places(of entity: Int) -> [Int] {
        entries.indices.filter { entries[$0].key.entity == entity }
    }
}

extension WorkingSet.Entry {
    var wasAlive: Bool { before?.isAlive ?? false }

    /// Whether devices must be told: what they read of it, or how late it was said. The latter decides against an edit
    /// that a device makes now; if that loses, nothing else would tell the device what stands instead.
    var isNews: Bool {
        guard let before else { return true }
        if before.isAlive != state.isAlive { return true }
        if !state.isAlive { return before.died != state.died }
        return before.values != state.values || before.dangling != state.dangling || before.stamps != state.stamps
            || before.born != state.born
    }

    /// The large columns that need not be written, because they were not read or are as they were.
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

    /// Whether it must be written.
    var isChanged: Bool { before != state }
}
