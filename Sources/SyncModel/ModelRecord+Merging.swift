import WireFormats

/// The rule by which edits are merged (rule R1): the later of two edits wins. Of two edits with equal stamps, the one
/// whose value more versions can represent wins; if both can be represented equally well, the greater value wins.
extension ModelRecord {
    // MARK: What is edited as one

    /// Merges edits of one register (a set of attributes that are merged as one unit, with one stamp).
    ///
    /// - Parameter repeating: the slots (indices of values in a record) of the values that the device did not edit, but
    ///   sent back as it had read them.
    mutating func take(
        _ edits: [Edit], repeating: [Int], in register: Int, of kind: RecordKind, by shape: Int, at stamp: Stamp
    ) {
        if stamp > stamps[register] {
            let news = edits.filter { !repeating.contains($0.slot) }
            if !news.isEmpty { write(news, of: kind, by: shape) }
            noteSaid(edits.map(\.slot), in: register, of: kind, by: shape, isFirst: stamps[register] == .never)
            // A repetition also counts as the latest edit.
            stamps[register] = stamp
        } else if stamp == stamps[register] {
            // An equal value changes nothing, whichever device sends it.
            if edits.contains(where: { $0.value != values[$0.slot] }) {
                var candidate = self
                candidate.write(edits, of: kind, by: shape)
                let rules = kind.registers[register]
                guard isBeaten(by: candidate.values, among: rules.slots, of: kind) else { return }
                self = candidate
            }
            noteSaid(edits.map(\.slot), in: register, of: kind, by: shape, isFirst: false)
        }
    }

    // MARK: Wholes

    /// Merges an edit of an attribute that a stage (migration step) splits into parts. It counts as an edit of each
    /// part.
    ///
    /// - Parameters:
    ///   - isRepeated: true if the device only sent the value back as it had read it.
    ///   - number: the index of the attribute in the entity's `wholes`.
    ///   - shape: the index of the version that wrote the edit.
    mutating func take(
        _ edit: Edit, isRepeated: Bool, of number: Int, _ kind: RecordKind, by shape: Int, at stamp: Stamp
    ) {
        let whole = kind.wholes[number]
        if isRepeated {
            for part in whole.parts { stamps[part] = max(stamps[part], stamp) }
            return
        }
        var made = self
        made.write([edit], of: kind, by: shape)
        if whole.parts.allSatisfy({ stamps[$0] == stamp }) {
            if isBeaten(by: made.values, among: whole.linked, of: kind) { self = made }
            return
        }
        let isDecided = isOutdone(whole, at: stamp)
        let won = whole.parts.filter { part in
            isDecided ? stamp > stamps[part] : wins(made.values, in: part, of: kind, at: stamp)
        }
        if won.isEmpty { return }
        // If a part has the same value with the same stamp, this edit wins, because it states more.
        let isSame = { (values: Values, part: Int) in
            kind.registers[part].slots.allSatisfy { values[$0] == made.values[$0] }
        }
        let others = whole.parts.filter { !won.contains($0) }
        let before = (values, stamps)
        if others.allSatisfy({ before.1[$0] == stamp && isSame(before.0, $0) }) {
            values = made.values
        } else {
            for part in won {
                for slot in kind.registers[part].slots { values[slot] = made.values[slot] }
            }
            for flow in whole.back { follow(flow) }
        }
        for part in won { stamps[part] = stamp }
    }

    /// Merges edits that set all parts of an attribute at once. The parts are the attributes into which a stage
    /// (migration step) splits it.
    ///
    /// Two such edits with the same stamp are compared as a whole, and the winner sets all parts. But if some part has
    /// been edited later, the edit that arrived first keeps all parts that still have its stamp.
    ///
    /// - Parameter number: the index of the attribute in the entity's `wholes`.
    /// - Returns: the parts that need no further merging. The caller merges the others one by one.
    mutating func takeTogether(
        _ edits: [Edit], of number: Int, _ kind: RecordKind, by shape: Int, at stamp: Stamp
    ) -> [Int] {
        let whole = kind.wholes[number]
        let saysAll = whole.parts.allSatisfy { part in
            edits.contains { kind.registers[part].slots.contains($0.slot) }
        }
        guard saysAll else { return [] }
        if isOutdone(whole, at: stamp) { return whole.parts.filter { stamps[$0] == stamp } }
        guard whole.parts.allSatisfy({ stamps[$0] == stamp }) else { return [] }
        // Equal values change nothing in any form.
        if edits.allSatisfy({ $0.value == values[$0.slot] }) { return whole.parts }
        var made = self
        made.write(edits, of: kind, by: shape)
        if isBeaten(by: made.values, among: whole.linked, of: kind) { self = made }
        return whole.parts
    }

    /// Returns true if some part of an attribute has an edit later than `stamp`. A stage (migration step) splits the
    /// attribute into these parts.
    private func isOutdone(_ whole: RecordKind.Whole, at stamp: Stamp) -> Bool {
        whole.parts.contains { stamps[$0] > stamp }
    }

    private func wins(_ others: Values, in part: Int, of kind: RecordKind, at stamp: Stamp) -> Bool {
        if stamp != stamps[part] { return stamp > stamps[part] }
        let rules = kind.registers[part]
        return isBeaten(by: others, among: rules.slots, of: kind)
    }

    // MARK: Equal stamps

    /// Returns true if the other values win against the record's present values in a comparison of two edits with equal
    /// stamps (`docs/internals/cursors.md`, *Equal stamps*).
    ///
    /// - Parameter slots: the indices of the values that are compared.
    func isBeaten(by others: Values, among slots: [Int], of kind: RecordKind) -> Bool {
        let (mine, other) = (
            ModelRecord.writtenBack(values, among: slots, of: kind),
            ModelRecord.writtenBack(others, among: slots, of: kind)
        )
        for slot in slots where mine[slot] != other[slot] { return mine[slot].precedes(other[slot]) }
        if let isRicher = isRicher(than: others, among: slots, of: kind) { return !isRicher }
        for slot in slots where values[slot] != others[slot] { return values[slot].precedes(others[slot]) }
        return false
    }

    /// Returns true if the record's present values are more exact than the other values; `nil` if both are equally
    /// exact.
    ///
    /// A version that cannot represent a value exactly changes it when it reads it and writes it back. The values that
    /// can change in more different ways are the more exact ones.
    ///
    /// - Parameter slots: the indices of the values that are compared.
    func isRicher(than others: Values, among slots: [Int], of kind: RecordKind) -> Bool? {
        let counts = [values, others].map { values in
            var seen: Set<[Value]> = [slots.map { values[$0] }]
            var open = [values]
            while let next = open.popLast(), seen.count < 32 {
                for shape in kind.shapes {
                    guard let made = ModelRecord.writtenBack(next, among: slots, of: kind, by: shape) else { continue }
                    if seen.insert(slots.map { made[$0] }).inserted { open.append(made) }
                }
            }
            return seen.count
        }
        return counts[0] == counts[1] ? nil : counts[0] > counts[1]
    }

    /// Returns the values as they are after all versions have read them and written them back, one version after the
    /// other. A version that cannot represent a value exactly changes it.
    ///
    /// - Parameter slots: the indices of the values that the versions write back.
    static func writtenBack(_ values: Values, among slots: [Int], of kind: RecordKind) -> Values {
        kind.shapes.reduce(values) { writtenBack($0, among: slots, of: kind, by: $1) ?? $0 }
    }

    private static func writtenBack(
        _ values: Values, among slots: [Int], of kind: RecordKind, by shape: Int
    ) -> Values? {
        let seen = kind.fields[shape].filter { slots.contains($0.slot) }
            .map { Edit(slot: $0.slot, value: values[$0.slot]) }
        return seen.isEmpty ? nil : fresh(seen, of: kind, by: shape, id: ID(high: 0, low: 0), at: .never)
    }

    // MARK: Writing

    /// Writes the edits of one version, and derives from them the values that other versions read. Do not pass edits
    /// that only repeat a value.
    mutating func write(_ edits: [Edit], of kind: RecordKind, by shape: Int) {
        var touched: Set<Int> = []
        for edit in edits {
            values[edit.slot] = edit.value
            touched.insert(edit.slot)
        }
        for flow in kind.flows[shape] where flow.near.contains(where: touched.contains) {
            let isSaid = flow.near.allSatisfy(touched.contains)
            let before = flow.far.map { values[$0] }
            follow(flow)
            touched.formUnion(zip(flow.far, before).filter { isSaid || values[$0] != $1 }.map(\.0))
        }
    }

    mutating func follow(_ flow: RecordKind.Flow) {
        for (slot, value) in zip(flow.far, flow.convert(flow.near.map { values[$0] })) { values[slot] = value }
    }
}
