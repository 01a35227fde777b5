import WireFormats

/// The values that a device only repeated, instead of editing them, in a change that the server put into quarantine.
/// With them, a later merge of the change has the same outcome as a merge on arrival would have had
/// (`docs/internals/push.md`, *Quarantine*).
package struct ModelReading: Sendable, Hashable {
    /// The slots (indices of values in a record) whose values the change only repeats.
    let repeated: Set<Int>
    /// The values when the change was quarantined, by slot (the index of a value in a record): at the repeated slots,
    /// and at those that are merged with them as one unit. Empty for a change with a whole record.
    let values: [Int: Value]
}

extension RecordKind {
    /// Returns the registers that are merged as one unit with a slot, and all slots of these registers. A slot is the
    /// index of a value in a record; a register is a set of slots with one stamp.
    func unit(of slot: Int) -> (registers: [Int], slots: [Int]) {
        var whole: Int?
        switch owners[slot] {
        case .register(let register):
            whole = registers[register].whole
            if whole == nil { return ([register], registers[register].slots) }
        case .whole(let number): whole = number
        }
        guard let whole else { return ([], []) }
        return (wholes[whole].parts, wholes[whole].linked + wholes[whole].slots)
    }
}

extension ModelRecord {
    /// Returns which values of a quarantined change only repeat what its device had read.
    ///
    /// - Parameters:
    ///   - said: the change.
    ///   - reads: returns the value that versions read at a slot (the index of a value in a record).
    ///   - read: returns the value that the device read at a slot before it pushed; `nil` if it read none.
    ///   - rewritten: the registers (units with one stamp) that quarantined changes of the same push edit. Those of
    ///     this change are added.
    /// - Returns: the repeated values, and the slots that the change edits.
    func reading(
        of said: Said, _ kind: RecordKind, _ rewritten: inout Set<Int>, reads: (Int) -> Value, read: (Int) -> Value?
    ) -> (reading: ModelReading, edited: Set<Int>) {
        var (repeated, edited) = (Set<Int>(), Set<Int>())
        rewritten.formUnion(said.takenBack)
        for edit in said.edits where !kind.isCounter(edit.slot) {
            let unit = kind.unit(of: edit.slot)
            let isNews = said.operation == .create && isUnsaid(edit.slot, of: kind)
            let isSame =
                edit.value == reads(edit.slot) && (said.isWhole || said.isHeld && edit.value == read(edit.slot))
            if isSame, !isNews, rewritten.isDisjoint(with: unit.registers) {
                repeated.insert(edit.slot)
            } else {
                edited.insert(edit.slot)
            }
        }
        rewritten.formUnion(edited.flatMap { kind.unit(of: $0).registers })
        let slots = said.isWhole ? [] : Set(repeated.flatMap { kind.unit(of: $0).slots })
        let kept = Dictionary(uniqueKeysWithValues: slots.map { ($0, values[$0]) })
        return (ModelReading(repeated: repeated, values: kept), edited)
    }

    /// Restores the values that a change repeated when it was quarantined. A value is left as it is now if an edit with
    /// the change's stamp or a later one has set it.
    ///
    /// - Parameters:
    ///   - reading: the values that the change repeated.
    ///   - stamp: the stamp of the change.
    mutating func restore(_ reading: ModelReading, before stamp: Stamp, of kind: RecordKind) {
        for slot in reading.repeated {
            let unit = kind.unit(of: slot)
            guard unit.registers.allSatisfy({ kind.registers[$0].policy == .latest && stamps[$0] < stamp }) else {
                continue
            }
            for slot in unit.slots { values[slot] = reading.values[slot] ?? values[slot] }
        }
    }

    /// Raises the stamps of attributes whose values were repeated to this stamp. A stamp that is later stays.
    ///
    /// - Parameter slots: the slots (indices of values in a record) whose values were repeated.
    mutating func say(again slots: [Int], of kind: RecordKind, at stamp: Stamp) {
        for slot in slots {
            switch kind.owners[slot] {
            case .register(let register): stamps[register] = max(stamps[register], stamp)
            case .whole(let whole): for part in kind.wholes[whole].parts { stamps[part] = max(stamps[part], stamp) }
            }
        }
    }
}
