import WireFormats

/// The migration of a record when a server with a newer plan begins to serve the space (`docs/internals/rows.md`,
/// *Linked later*).
extension ModelRecord {
    /// Returns the record as it is after a migration of the server to the whole plan. The migration may change which
    /// attributes are merged as one unit and share a stamp.
    ///
    /// - Parameters:
    ///   - known: the entity in the versions that the server knew before the migration.
    ///   - kind: the entity in all versions of the plan.
    func migrated(from known: RecordKind, to kind: RecordKind, id: ID) -> ModelRecord {
        var record = self
        record.stamps = kind.registers.map { stamp(of: $0.slots, in: known) }
        record.floors = kind.registers.enumerated().map { number, register in
            guard register.policy != .latest, case .register(let before) = known.owners[register.oldest] else {
                return .never
            }
            // Without a policy, the latest edit won, and decided all values.
            return known.registers[before].policy == .latest ? record.stamps[number] : floors[before]
        }
        record.unsaid = unsaid.filter { slot in
            guard case .register(let register) = kind.owners[slot] else { return false }
            return kind.registers[register].policy == .latest && kind.registers[register].whole == nil
        }
        for whole in kind.wholes {
            if !whole.parts.contains(where: { known.serves(kind.registers[$0].slots) }) {
                // The server did not know the parts: an edit of the whole was one of all parts.
                let said = stamp(of: whole.linked, in: known)
                for part in whole.parts { record.stamps[part] = said }
            } else if !known.wholes.contains(where: { $0.linked.contains(whole.linked[0]) }) {
                // The parts were edited separately. If only the first one was ever edited, it is unknown if the others
                // were.
                let parts = whole.parts.sorted { kind.registers[$0].oldest < kind.registers[$1].oldest }
                let rest = parts.dropFirst()
                if rest.allSatisfy({ record.stamps[$0] == .never }) {
                    for part in rest { record.stamps[part] = record.stamps[parts[0]] }
                }
            }
        }
        record.counted = Set(
            counted.compactMap { increment in
                guard case .register(let register) = kind.owners[known.registers[increment.register].oldest] else {
                    return nil
                }
                return Increment(register: register, device: increment.device, stamp: increment.stamp)
            })
        if createdStamp == .never { record.takeMoment(of: self, id, known, kind) }
        return record
    }

    /// Sets the initial values that depend on the creation time, in a record of which only edits arrived, and no
    /// creation.
    ///
    /// The time of the first edit would be the best substitute, but the server's tables do not contain it. So the
    /// server takes the stamp that most of the record's merge units have; of equally frequent stamps, the latest.
    private mutating func takeMoment(of before: ModelRecord, _ id: ID, _ known: RecordKind, _ kind: RecordKind) {
        guard let shape = known.shapes.last(where: { known.names[$0] != nil }) else { return }
        let apart = known.registers.indices.filter { known.registers[$0].whole == nil }.map { before.stamps[$0] }
        let wholes = known.wholes.map { whole in whole.parts.map { before.stamps[$0] }.max() ?? .never }
        let counts = (apart + wholes).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let most = counts.filter { $0.key != .never }.max { ($0.value, $0.key) < ($1.value, $1.key) }
        let fresh = ModelRecord.fresh([], of: kind, by: shape, id: id, at: most?.key ?? .never)
        for (number, register) in kind.registers.enumerated()
        where register.whole == nil && stamps[number] == .never && !known.serves(register.slots) {
            for slot in register.slots { values[slot] = fresh[slot] }
        }
    }

    /// Returns the latest stamp of the values at these slots (indices of values in a record).
    private func stamp(of slots: [Int], in known: RecordKind) -> Stamp {
        let stamps = slots.flatMap { slot in
            switch known.owners[slot] {
            case .register(let register): [self.stamps[register]]
            case .whole(let whole): known.wholes[whole].parts.map { self.stamps[$0] }
            }
        }
        return stamps.max() ?? .never
    }
}

extension RecordKind {
    /// Returns true if the server knows a version that has one of these slots (indices of values in a record).
    fileprivate func serves(_ slots: [Int]) -> Bool {
        shapes.contains { shape in fields[shape].contains { slots.contains($0.slot) } }
    }
}

extension RecordKind.Register {
    /// The slot that was added before all others of the register.
    fileprivate var oldest: Int { slots.min() ?? 0 }
}
