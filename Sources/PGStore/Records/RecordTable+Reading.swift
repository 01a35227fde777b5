package import Postgres
package import WireFormats

extension RecordTable {
    /// Reads the records with these ids.
    package func selecting(_ ids: [ID], in space: ID) -> Command {
        if let id = ids.first, ids.count == 1 { return Command(selectOne, [.id(space), .id(id)]) }
        return Command(select, [.id(space), .ids(ids.withoutRepeats)])
    }

    /// Checks that a record exists. The command returns a row without columns, or no row.
    package func looking(for id: ID, in space: ID) -> Command {
        Command(look, [.id(space), .id(id)])
    }

    /// Reads for each record with one of these ids whether it is alive, as a `RecordLiveness`.
    package func selectingLiveness(_ ids: some Sequence<ID>, in space: ID) -> Command {
        Command(selectLiveness, [.id(space), .ids(Array(ids).withoutRepeats)])
    }

    /// Reads `(id, value)` of the living records that have one of `values` in a column whose values must be unique.
    ///
    /// - Parameter index: the column, as an index in `HubEntity.uniqueColumns`.
    package func selectingHolders(
        of values: some Collection<Value>, in index: Int, space: ID
    ) -> Command {
        var array = ArrayParameter(SQLType(entity.columns[entity.uniqueColumns[index]].type), capacity: values.count)
        for value in Set(values) { array.append(value) }
        return Command(holders[index], [.id(space), array.finished()])
    }

    /// Parses one row of the result of the command `selecting`.
    package func state(_ rows: Rows, _ row: Int) -> RecordState {
        let base = Stamp(stored: rows.int(row, 3))
        let stamps = rows.withBytes(row, 4) { StampSet(base: base, packed: $0, of: entity) }
        let first = RecordTable.stateColumns.count
        // The two columns after the attributes, if large values may be withheld.
        let last = first + entity.columns.count
        let (withheld, withheldBytes) =
            rows.columnCount > last ? (UInt64(bitPattern: rows.int(row, last)), Int(rows.int(row, last + 1))) : (0, 0)
        return RecordState(
            id: rows.id(row, 0), values: values(rows, row, from: first), stamps: stamps,
            createdStamp: Stamp(stored: rows.int(row, 5)), deletedStamp: Stamp(stored: rows.int(row, 6)),
            seq: rows.int(row, 1),
            isAlive: rows.bool(row, 2), dangling: UInt64(bitPattern: rows.int(row, 8)),
            pusher: rows.idIfPresent(row, 7), withheld: withheld, withheldBytes: withheldBytes)
    }

    /// Returns the values of a row, in the order of the entity's columns. An invalid stored value is replaced by the
    /// default with which the newest version reads it. The next write of the record then stores this default.
    private func values(_ rows: Rows, _ row: Int, from first: Int) -> [Value] {
        entity.columns.indices.map {
            rows.value(row, first + $0, as: entity.columns[$0].type) ?? entity.standards[$0]
        }
    }
}

extension [ID] {
    /// The ids without repeated ones. A search for the same id twice would return its record twice.
    var withoutRepeats: [ID] {
        var seen: Set<ID> = []
        seen.reserveCapacity(count)
        return filter { seen.insert($0).inserted }
    }
}

extension Rows {
    /// Returns the value of an attribute's column. A column of type `numeric` must be selected as text.
    ///
    /// Returns `nil` if the value is not valid for any attribute: a number that is not finite, a decimal with too many
    /// digits, or a date that the protocol cannot represent. Columns of other types are not checked.
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
