package import Postgres
package import WireFormats

extension RecordTable {
    /// Reads the records with these ids.
    package func selecting(_ ids: [ID], in space: ID) -> Command {
        if let id = ids.first, ids.count == 1 { return Command(selectOne, [.id(space), .id(id)]) }
        return Command(select, [.id(space), .ids(ids.withoutRepeats)])
    }

    /// Looks for a record: a row without columns, or none.
    package func looking(for id: ID, in space: ID) -> Command {
        Command(look, [.id(space), .id(id)])
    }

    /// Reads a `RecordLife` for each record with one of these ids.
    package func selectingLives(_ ids: some Sequence<ID>, in space: ID) -> Command {
        Command(selectLives, [.id(space), .ids(Array(ids).withoutRepeats)])
    }

    /// Reads `(id, value)` of the living records that hold one of `values` in a unique column.
    ///
    /// - Parameter place: a place in `HubEntity.uniqueColumns`.
    package func selectingHolders(
        of values: some Collection<Value>, in place: Int, space: ID
    ) -> Command {
        var array = ArrayParameter(SQLType(entity.columns[entity.uniqueColumns[place]].type), capacity: values.count)
        for value in Set(values) { array.append(value) }
        return Command(holders[place], [.id(space), array.finished()])
    }

    /// The record in `row` of what `selecting` returned.
    package func state(_ rows: Rows, _ row: Int) -> RecordState {
        let base = Stamp(stored: rows.int(row, 3))
        let stamps = rows.withBytes(row, 4) { StampSet(base: base, packed: $0, of: entity) }
        let first = RecordTable.stateColumns.count
        // Behind the attributes, where large ones may be withheld.
        let last = first + entity.columns.count
        let (withheld, withheldBytes) =
            rows.columnCount > last ? (UInt64(bitPattern: rows.int(row, last)), Int(rows.int(row, last + 1))) : (0, 0)
        return RecordState(
            id: rows.id(row, 0), values: values(rows, row, from: first), stamps: stamps,
            born: Stamp(stored: rows.int(row, 5)), died: Stamp(stored: rows.int(row, 6)), seq: rows.int(row, 1),
            isAlive: rows.bool(row, 2), dangling: UInt64(bitPattern: rows.int(row, 8)),
            pusher: rows.idIfPresent(row, 7), withheld: withheld, withheldBytes: withheldBytes)
    }

    /// What no attribute can have reads as what the newest version reads of it, and so goes back with what is stored
    /// next.
    private func values(_ rows: Rows, _ row: Int, from first: Int) -> [Value] {
        entity.columns.indices.map {
            rows.value(row, first + $0, as: entity.columns[$0].type) ?? entity.standards[$0]
        }
    }
}

extension [ID] {
    /// Each once: what is searched for twice is found twice.
    var withoutRepeats: [ID] {
        var seen: Set<ID> = []
        seen.reserveCapacity(count)
        return filter { seen.insert($0).inserted }
    }
}

extension Rows {
    /// An attribute column's value, `numeric` having been selected as text; `nil` for one that no attribute can have: a
    /// number that is not finite, a decimal of too many digits, a date that the wire cannot write. Other than in
    /// numbers and dates it is not looked for.
    package func value(_ row: Int, _ column: Int, as type: ColumnType) -> Value? {
        if isNull(row, column) { return .null }
        switch type {
        case .boolean: return .bool(bool(row, column))
        case .bigint: return .int(int(row, column))
        case .double:
            let value = double(row, column)
            return value.isFinite ? .double(value) : nil
        case .numeric: return DecimalText(string(row, column)).map(Value.decimal)
        case .text: return .string(string(row, column))
        case .timestamp:
            let moment = storedTimestamp(row, column)
            return Timestamp.wireRange.contains(moment) ? .date(moment) : nil
        case .uuid: return .uuid(id(row, column))
        case .bytes: return .data(bytes(row, column))
        case .json: return .json(string(row, column))
        }
    }
}
