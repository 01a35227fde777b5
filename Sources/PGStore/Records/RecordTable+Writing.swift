package import Postgres
package import WireFormats

extension RecordTable {
    /// Inserts complete records that do not exist yet.
    package func inserting(_ states: [RecordState], in space: ID) -> Command {
        if states.count == 1 { return Command(writing.insertOne, parameters(states[0], in: space)) }
        let stamps = stored(states)
        if !areFresh(states, stamps) {
            return Command(writing.insert, [.id(space)] + arrays(of: states, stamps))
        }
        let common: [Parameter] = [.id(space), .id(states[0].pusher), .bytes(stamps[0].packed)]
        return Command(writing.insertFresh, common + arrays(of: states, stamps, areFresh: true))
    }

    /// Overwrites existing records with all their columns, except those in `kept`.
    ///
    /// - Parameter kept: for each record, a bit mask of the large columns that are not written, as in
    ///   `RecordState.withheld`. Their values need not be sent to PostgreSQL. If the array is empty, all columns of all
    ///   records are written.
    package func updating(_ states: [RecordState], keeping kept: [UInt64] = [], in space: ID) -> [Command] {
        let isKeeping = kept.contains { $0 != 0 }
        if states.count == 1, !isKeeping { return [Command(writing.updateOne, parameters(states[0], in: space))] }
        let stamps = stored(states)
        let update =
            isKeeping
            ? Command(
                writing.updateKeeping,
                [.id(space)] + arrays(of: states, stamps, keeping: kept)
                    + [.ints(kept.map { Int64(bitPattern: $0) })])
            : Command(writing.update, [.id(space)] + arrays(of: states, stamps))
        // `INSERT … ON CONFLICT` would find the records by itself, but it would run the triggers by which a migration
        // fills new records.
        return [update]
    }

    /// Returns the parameters for writing one record: the space, and then a value for each column.
    private func parameters(_ state: RecordState, in space: ID) -> [Parameter] {
        let stamps = state.stamps.stored(of: entity)
        let fixed: [Parameter] = [
            .id(space), .id(state.id), .int(state.seq), .bool(state.isAlive), .int(stamps.base.rawValue),
            .bytes(stamps.packed), .int(state.createdStamp.rawValue), .int(state.deletedStamp.rawValue),
            .id(state.pusher),
            .int(Int64(bitPattern: state.dangling)),
        ]
        return fixed + zip(state.values, entity.columns).map { .value($0, as: SQLType($1.type)) }
    }

    private typealias StoredStamps = (base: Stamp, packed: [UInt8])

    private func stored(_ states: [RecordState]) -> [StoredStamps] {
        states.map { $0.stamps.stored(of: entity) }
    }

    /// Returns true if the statement `insertFresh` can insert the records. All must be unchanged since their creation,
    /// have the same packed stamps, and come from the same device (or all from none).
    private func areFresh(_ states: [RecordState], _ stamps: [StoredStamps]) -> Bool {
        states.withUnsafeBufferPointer { states in
            let device = states.first?.pusher
            return states.indices.allSatisfy { row in
                states[row].pusher == device && states[row].isAlive && states[row].dangling == 0
                    && states[row].deletedStamp == .never && states[row].createdStamp == stamps[row].base
                    && stamps[row].packed == stamps[0].packed
            }
        }
    }

    /// Returns the columns of all records as parameters of a statement, one array for each column. If `areFresh` is
    /// true, the columns in which all fresh records agree are left out.
    private func arrays(
        of states: [RecordState], _ stamps: [StoredStamps], areFresh: Bool = false, keeping kept: [UInt64] = []
    ) -> [Parameter] {
        var arrays: [Parameter] = []
        arrays.reserveCapacity(RecordTable.stateColumns.count + entity.columns.count)
        // Only the column's value of each record is accessed; an array would lend a copy of the whole record.
        states.withUnsafeBufferPointer { states in
            func add(_ type: SQLType, _ append: (inout ArrayParameter, Int) -> Void) {
                var array = ArrayParameter(type, capacity: states.count)
                for row in states.indices { append(&array, row) }
                arrays.append(array.finished())
            }
            add(.uuid) { $0.append(id: states[$1].id) }
            add(.int8) { $0.append(int: states[$1].seq) }
            if !areFresh { add(.bool) { $0.append(bool: states[$1].isAlive) } }
            add(.int8) { $0.append(int: stamps[$1].base.rawValue) }
            if !areFresh {
                add(.bytea) { $0.append(bytes: stamps[$1].packed) }
                add(.int8) { $0.append(int: states[$1].createdStamp.rawValue) }
                add(.int8) { $0.append(int: states[$1].deletedStamp.rawValue) }
                add(.uuid) { $0.append(id: states[$1].pusher) }
                add(.int8) { $0.append(int: Int64(bitPattern: states[$1].dangling)) }
            }
            for (column, definition) in entity.columns.enumerated() {
                let bit = kept.isEmpty ? 0 : entity.largeBits[column]
                if bit == 0 {
                    add(SQLType(definition.type)) { $0.append(states[$1].values[column]) }
                } else {
                    add(SQLType(definition.type)) { array, row in
                        if kept[row] & bit != 0 {
                            array.appendNull()
                        } else {
                            array.append(states[row].values[column])
                        }
                    }
                }
            }
        }
        return arrays
    }

    /// Marks records as deleted, unless they are deleted already, and gives them sequence numbers after `head`. The
    /// command returns the ids of the records that were alive before.
    package func burying(_ ids: some Sequence<ID>, in space: ID, head: Int64) -> Command {
        Command(bury, [.id(space), .ids(ids), .int(head)])
    }

    /// Applies the delete rule of a reference to the records that refer to `targets`, after the targets were deleted.
    /// The command returns a `ReferrerRow` for each of these records that was alive before.
    ///
    /// - Parameters:
    ///   - reference: the reference, as an index in `HubEntity.references`.
    ///   - head: the sequence number after which the changed records are numbered.
    package func losing(_ targets: some Sequence<ID>, by reference: Int, in space: ID, head: Int64) -> Command {
        Command(referrers[reference].lose, [.id(space), .ids(targets), .int(head)])
    }

    /// Applies the delete rule of a reference to the records that refer to `targets`, after the targets were deleted.
    /// It returns only the number of these records that were alive before, because there may be a million of them.
    package func countingLosses(
        of targets: some Sequence<ID>, by reference: Int, in space: ID, head: Int64
    ) -> Command {
        Command(referrers[reference].loseCounting, [.id(space), .ids(targets), .int(head)])
    }

    /// Makes the references to `targets` readable again, after these records were created or restored. (A reference to
    /// a deleted record reads as null.) The command returns the number of living records whose references have changed.
    package func regaining(_ targets: some Sequence<ID>, by reference: Int, in space: ID, head: Int64) -> Command {
        Command(referrers[reference].regain, [.id(space), .ids(targets), .int(head)])
    }

    /// Reads the ids of the deleted records that refer to one of `targets` and were deleted only by a cascade. They are
    /// restored together with their targets.
    package func fallen(with targets: some Sequence<ID>, by reference: Int, in space: ID) -> Command {
        Command(referrers[reference].fallen, [.id(space), .ids(targets)])
    }

    /// Reads the living records that refer to one of `targets`. Returns a `ReferrerRow` for each.
    ///
    /// - Parameter reference: the reference, as an index in `HubEntity.references`.
    package func livingReferrers(of targets: some Sequence<ID>, by reference: Int, in space: ID) -> Command {
        Command(referrers[reference].living, [.id(space), .ids(targets)])
    }

    /// Reads the deleted records that refer to one of `targets`. Returns a `ReferrerRow` for each.
    ///
    /// - Parameter reference: the reference, as an index in `HubEntity.references`.
    package func deadReferrers(of targets: some Sequence<ID>, by reference: Int, in space: ID) -> Command {
        Command(referrers[reference].deadReferrers, [.id(space), .ids(targets)])
    }
}

extension Command {
    /// Returns `commands` with commands around them that disable nested-loop joins and enable them again. All must run
    /// in one transaction. If PostgreSQL wrongly expects few rows, such a join may read all rows of one table again for
    /// each row of another.
    package static func withoutNestedLoops(_ commands: [Command]) -> [Command] {
        ["SET LOCAL enable_nestloop = off"] + commands + ["SET LOCAL enable_nestloop = on"]
    }
}

extension SQLType {
    package init(_ type: ColumnType) {
        self =
            switch type {
            case .boolean: .bool
            case .bigint: .int8
            case .double: .float8
            case .numeric: .numeric
            case .text: .text
            case .timestamp: .timestamptz
            case .uuid: .uuid
            case .bytes: .bytea
            case .json: .json
            }
    }
}
