import WireFormats

/// The rules for what nobody has said, though others of the record were (`docs/architecture.md`, *Merging*).
extension ModelRecord {
    /// Notes what was said of attributes that are edited as one, and what was not.
    mutating func noteSaid(
        _ places: [Int], in number: Int, of kind: RecordKind, by shape: Int, isFirst: Bool
    ) {
        let register = kind.registers[number]
        let said = places.filter(register.places.contains)
        if said.isEmpty || register.policy != .latest || register.whole != nil { return }
        let own = kind.fields[shape].map(\.place).filter(register.places.contains)
        let marked = isFirst ? own : register.places.filter(unsaid.contains)
        unsaid.subtract(register.places)
        // What another version reads there follows from what is said now.
        if marked.allSatisfy(own.contains) { unsaid.formUnion(marked.filter { !said.contains($0) }) }
    }

    /// Gives places of what is edited as one other defaults.
    mutating func fill(_ places: Set<Int>, from fresh: Values, of kind: RecordKind) {
        if places.isEmpty { return }
        let shape = kind.shapes.first { shape in
            places.allSatisfy { place in kind.fields[shape].contains { $0.place == place } }
        }
        guard let shape else { return }
        write(places.sorted().map { Edit(place: $0, value: fresh[$0]) }, of: kind, by: shape)
    }

    /// A creation by who knew the record to be deleted: of what was said up to the deletion nothing is left, but what
    /// the creation must say and does not.
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
        // Of two edits with one stamp one stands, and none that has the deletion's shall.
        let decided = died.next
        for whole in kind.wholes {
            let old = whole.parts.filter { stamps[$0] <= died && !missing.contains($0) }
            for part in old {
                for place in kind.registers[part].places { values[place] = fresh[place] }
                // What nobody has said may be of a version that came since, and nobody has decided it.
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
