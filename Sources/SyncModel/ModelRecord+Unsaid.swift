import WireFormats

/// Rules for attributes that nobody has stated although other attributes of the record were stated
/// (`docs/architecture.md`, *Merging*).
extension ModelRecord {
    /// Updates `unsaid` after an edit of one register: which of its places were stated, and which were not.
    mutating func noteSaid(
        _ places: [Int], in number: Int, of kind: RecordKind, by shape: Int, isFirst: Bool
    ) {
        let register = kind.registers[number]
        let said = places.filter(register.places.contains)
        if said.isEmpty || register.policy != .latest || register.whole != nil { return }
        let own = kind.fields[shape].map(\.place).filter(register.places.contains)
        let marked = isFirst ? own : register.places.filter(unsaid.contains)
        unsaid.subtract(register.places)
        // The values that another version reads there follow from the values stated now.
        if marked.allSatisfy(own.contains) { unsaid.formUnion(marked.filter { !said.contains($0) }) }
    }

    /// Replaces the defaults at some places of one register.
    mutating func fill(_ places: Set<Int>, from fresh: Values, of kind: RecordKind) {
        if places.isEmpty { return }
        let shape = kind.shapes.first { shape in
            places.allSatisfy { place in kind.fields[shape].contains { $0.place == place } }
        }
        guard let shape else { return }
        write(places.sorted().map { Edit(place: $0, value: fresh[$0]) }, of: kind, by: shape)
    }

    /// Applies a creation by a device that knew the record to be deleted. Nothing stated up to the deletion is kept,
    /// except the values of required attributes that the creation does not state.
    mutating func beginAnew(_ said: Said, of kind: RecordKind, at stamp: Stamp) {
        let edits = said.edits.filter { !kind.isCounter($0.place) }
        let fresh = ModelRecord.fresh(edits, of: kind, by: said.shape, id: said.id, at: stamp)
        var missing: Set<Int> = []
        for field in kind.fields[said.shape] where !field.attribute.type.isOptional && field.attribute.default == nil {
            if edits.contains(where: { $0.place == field.place }) { continue }
            switch kind.owners[field.place] {
            case .register(let register):
                missing.formUnion(kind.registers[register].whole.map { kind.wholes[$0].parts } ?? [register])
            case .whole(let whole): missing.formUnion(kind.wholes[whole].parts)
            }
        }
        // Of two edits with one stamp, one wins. No edit with the deletion's stamp must win.
        let decided = died.next
        for whole in kind.wholes {
            let old = whole.parts.filter { stamps[$0] <= died && !missing.contains($0) }
            for part in old {
                for place in kind.registers[part].places { values[place] = fresh[place] }
                // A value that nobody has stated may be of a later version, and is undecided.
                if stamps[part] != .never { stamps[part] = decided }
            }
            if old.count == whole.parts.count {
                for place in whole.places { values[place] = fresh[place] }
            } else if !old.isEmpty {
                for flow in whole.back { follow(flow) }
            }
        }
        for (number, register) in kind.registers.enumerated() where register.whole == nil {
            guard stamps[number] <= died, !missing.contains(number) else { continue }
            for place in register.places { values[place] = fresh[place] }
            if stamps[number] == .never { continue }
            if register.policy == .latest {
                stamps[number] = decided
                unsaid.subtract(register.places)
            } else {
                (floors[number], stamps[number]) = (died, .never)
            }
        }
    }
}
