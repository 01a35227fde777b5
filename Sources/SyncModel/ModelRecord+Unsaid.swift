import WireFormats

/// Initial values of attributes that no change has set, although changes have set other attributes of the record
/// (`docs/internals/rows.md`, *Merging*).
extension ModelRecord {
    /// Notes which values of a register have been set by an edit, and which are still defaults. The slots with default
    /// values are kept in `unsaid`.
    ///
    /// - Parameters:
    ///   - slots: the slots (indices of values in a record) that the edit has set. They are removed from `unsaid`.
    ///   - number: the index of the register, a set of attributes that are merged as one unit.
    ///   - isFirst: true if no change had set the register before. Then the editing version's other slots are added to
    ///     `unsaid`.
    mutating func noteSaid(
        _ slots: [Int], in number: Int, of kind: RecordKind, by shape: Int, isFirst: Bool
    ) {
        let register = kind.registers[number]
        let said = slots.filter(register.slots.contains)
        if said.isEmpty || register.policy != .latest || register.whole != nil { return }
        let own = kind.fields[shape].map(\.slot).filter(register.slots.contains)
        let marked = isFirst ? own : register.slots.filter(unsaid.contains)
        unsaid.subtract(register.slots)
        // The values that another version reads there follow from the values stated now.
        if marked.allSatisfy(own.contains) { unsaid.formUnion(marked.filter { !said.contains($0) }) }
    }

    /// Replaces default values by other default values.
    ///
    /// - Parameters:
    ///   - slots: the slots (indices of values in a record) to replace. They belong to one merge unit.
    ///   - fresh: the values of a new record, from which the replacements are taken.
    mutating func fill(_ slots: Set<Int>, from fresh: Values, of kind: RecordKind) {
        if slots.isEmpty { return }
        let shape = kind.shapes.first { shape in
            slots.allSatisfy { slot in kind.fields[shape].contains { $0.slot == slot } }
        }
        guard let shape else { return }
        write(slots.sorted().map { Edit(slot: $0, value: fresh[$0]) }, of: kind, by: shape)
    }

    /// Applies a creation of a deleted record, by a device that knew of the deletion. The values from before the
    /// deletion are replaced by those of a new record.
    ///
    /// A value is kept if its attribute is required and has no default, and the creation does not set it.
    mutating func beginAnew(_ said: Said, of kind: RecordKind, at stamp: Stamp) {
        let edits = said.edits.filter { !kind.isCounter($0.slot) }
        let fresh = ModelRecord.fresh(edits, of: kind, by: said.shape, id: said.id, at: stamp)
        var missing: Set<Int> = []
        for field in kind.fields[said.shape] where !field.attribute.type.isOptional && field.attribute.default == nil {
            if edits.contains(where: { $0.slot == field.slot }) { continue }
            switch kind.owners[field.slot] {
            case .register(let register):
                missing.formUnion(kind.registers[register].whole.map { kind.wholes[$0].parts } ?? [register])
            case .whole(let whole): missing.formUnion(kind.wholes[whole].parts)
            }
        }
        // Of two edits with one stamp, one wins. No edit with the deletion's stamp must win.
        let decided = deletedStamp.next
        for whole in kind.wholes {
            let old = whole.parts.filter { stamps[$0] <= deletedStamp && !missing.contains($0) }
            for part in old {
                for slot in kind.registers[part].slots { values[slot] = fresh[slot] }
                // A value that nobody has stated may be of a later version, and is undecided.
                if stamps[part] != .never { stamps[part] = decided }
            }
            if old.count == whole.parts.count {
                for slot in whole.slots { values[slot] = fresh[slot] }
            } else if !old.isEmpty {
                for flow in whole.back { follow(flow) }
            }
        }
        for (number, register) in kind.registers.enumerated() where register.whole == nil {
            guard stamps[number] <= deletedStamp, !missing.contains(number) else { continue }
            for slot in register.slots { values[slot] = fresh[slot] }
            if stamps[number] == .never { continue }
            if register.policy == .latest {
                stamps[number] = decided
                unsaid.subtract(register.slots)
            } else {
                (floors[number], stamps[number]) = (deletedStamp, .never)
            }
        }
    }
}
