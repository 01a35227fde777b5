package import WireFormats

extension RecordTable {
    /// Writes whole records that are not there yet.
    package func inserting(_ states: [RecordState], in space: ID) -> Command {
        Command(insert, parameters(states, in: space))
    }

    /// Writes whole records over those that are there.
    package func updating(_ states: [RecordState], in space: ID) -> Command {
        Command(update, parameters(states, in: space))
    }

    private func parameters(_ states: [RecordState], in space: ID) -> [Parameter] {
        var fixed = [SQLType.uuid, .int8, .bool, .int8, .bytea, .int8, .int8, .uuid, .int8, .int8, .int8].map {
            ArrayParameter($0, capacity: states.count)
        }
        var attributes = entity.columns.map { ArrayParameter(SQLType($0.type), capacity: states.count) }
        for state in states {
            let stamps = state.stamps.stored(units: entity.units)
            fixed[0].append(id: state.id)
            fixed[1].append(int: state.seq)
            fixed[2].append(bool: state.isAlive)
            fixed[3].append(int: stamps.base.rawValue)
            fixed[4].append(bytes: stamps.packed)
            fixed[5].append(int: state.born.rawValue)
            fixed[6].append(int: state.died.rawValue)
            if let author = state.author {
                fixed[7].append(id: author.device)
                fixed[8].append(int: author.seen)
                fixed[9].append(int: author.since)
            } else {
                for column in 7...9 { fixed[column].appendNull() }
            }
            fixed[10].append(int: Int64(bitPattern: state.dangling))
            for column in attributes.indices { attributes[column].append(state.values[column]) }
        }
        return [.id(space)] + fixed.map(\.parameter) + attributes.map(\.parameter)
    }

    /// Marks living records dead. Returns `(id)` of each.
    package func burying(_ ids: some Sequence<ID>, in space: ID, head: Int64) -> Command {
        Command(bury, [.id(space), .ids(ids), .int(head)])
    }

    /// What the death of `targets` does to the records that refer to them. Returns `(id, was alive, target)` of each
    /// record that changed.
    package func losing(_ targets: some Sequence<ID>, by reference: Int, in space: ID, head: Int64) -> Command {
        Command(referrers[reference].lose, [.id(space), .ids(targets), .int(head)])
    }

    /// What the arrival or return of `targets` does to the records that refer to them; returns as `losing`.
    package func regaining(_ targets: some Sequence<ID>, by reference: Int, in space: ID, head: Int64) -> Command {
        Command(referrers[reference].regain, [.id(space), .ids(targets), .int(head)])
    }

    /// The ids of dead records, not deleted themselves, that refer to `targets`.
    package func fallen(with targets: some Sequence<ID>, by reference: Int, in space: ID) -> Command {
        Command(referrers[reference].fallen, [.id(space), .ids(targets)])
    }

    /// The living records that refer to `targets`. Returns `(id, target)`.
    package func livingReferrers(of targets: some Sequence<ID>, by reference: Int, in space: ID) -> Command {
        Command(referrers[reference].living, [.id(space), .ids(targets)])
    }

    /// Which of `targets` dead records refer to, each with such a record.
    package func deadReferrers(of targets: some Sequence<ID>, by reference: Int, in space: ID) -> Command {
        Command(referrers[reference].deadReferrers, [.id(space), .ids(targets)])
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
