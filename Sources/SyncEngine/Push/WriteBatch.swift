import PGStore
import Postgres
import WireFormats

/// Records of one entity that are written with one statement.
struct WriteBatch {
    /// The index of the entity in `Hub.entities`.
    let entity: Int
    /// True if the records are to be inserted, false if they are to be updated.
    let isNew: Bool
    private(set) var states: [RecordState] = []
    /// For each record, one bit for each large column that the batch's statement does not write, as in
    /// `HubEntity.largeBits`. Empty if every column of every record is written.
    private var kept: [UInt64] = []
    private(set) var sizeBytes = 0
    /// The bytes of the largest record.
    private(set) var largestBytes = 0

    init(entity: Int, isNew: Bool) {
        (self.entity, self.isNew) = (entity, isNew)
    }

    mutating func reserveCapacity(_ count: Int) { states.reserveCapacity(count) }

    mutating func add(_ state: RecordState, sizeBytes size: Int, keeping columns: UInt64) {
        if columns != 0 || !kept.isEmpty {
            // No column was kept of the earlier records.
            kept += Array(repeating: 0, count: states.count - kept.count) + [columns]
        }
        states.append(state)
        sizeBytes += size
        largestBytes = max(largestBytes, size)
    }

    func commands(_ table: RecordTable, in space: ID) -> [Command] {
        isNew ? [table.inserting(states, in: space)] : table.updating(states, keeping: kept, in: space)
    }

    /// The first half of the records, and the rest; `nil` for a single record.
    var halves: [WriteBatch]? {
        if states.count == 1 { return nil }
        let middle = states.count / 2
        return [states.indices.prefix(middle), states.indices.dropFirst(middle)].map { part in
            var half = WriteBatch(entity: entity, isNew: isNew)
            half.states = Array(states[part])
            half.kept = kept.isEmpty ? [] : Array(kept[part])
            return half
        }
    }
}

extension [WriteBatch] {
    /// Adds a record to the last batch, or to a new batch if the last would exceed `bytesMax` with it.
    ///
    /// - Parameter columns: the record's large columns that are not written, as bits.
    mutating func add(_ entry: WorkingSet.Entry, keeping columns: UInt64, bytesMax: Int) {
        let size = entry.sizeBytes ?? entry.state.sizeBytes
        if let last, !last.states.isEmpty, last.sizeBytes + size > bytesMax {
            append(WriteBatch(entity: last.entity, isNew: last.isNew))
        }
        self[count - 1].add(entry.state, sizeBytes: size, keeping: columns)
    }
}

extension Int {
    /// The least power of two that is not less than the number, but at least 1,024. The space stores the size of its
    /// largest record in this form, so that it is not written again for each slightly larger record.
    var roundedUpToPowerOfTwo: Int64 {
        var power: Int64 = 1_024
        while power < self { power *= 2 }
        return power
    }
}
