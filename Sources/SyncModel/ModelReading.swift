import WireFormats

/// The values that a device only repeated in a change that the server put into quarantine. With them, a replay of the
/// change has the same outcome as if the change had been merged on arrival (`docs/internals/push.md`, *Quarantine*).
package struct ModelReading: Sendable, Hashable {
    /// The slots (indices of values in a record) whose values the change repeats.
    let repeated: Set<Int>
    /// The values at these slots, and at the slots merged with them as one unit, when the change was quarantined.
    let values: [Int: Value]
}

extension RecordKind {
    /// Returns the registers that are merged as one unit with a slot, and all slots of these registers.
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
    /// Returns the values that a quarantined change only repeats from what its device had read.
    ///
    /// - Parameters:
    ///   - reads: returns the value that any version reads at a slot.
    ///   - read: returns the value that the device read at a slot before it pushed.
    ///   - rewritten: the registers that quarantined changes of the same push edit; the registers of this change are
    ///     added.
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

    /// Restores the values of a reading at those slots where all later writes have stamps before `stamp`.
    mutating func restore(_ reading: ModelReading, before stamp: Stamp, of kind: RecordKind) {
        for slot in reading.repeated {
            let unit = kind.unit(of: slot)
            guard unit.registers.allSatisfy({ kind.registers[$0].policy == .latest && stamps[$0] < stamp }) else {
                continue
            }
            for slot in unit.slots { values[slot] = reading.values[slot] ?? values[slot] }
        }
    }

    /// Raises the stamps of slots whose values were repeated to this stamp.
    mutating func say(again slots: [Int], of kind: RecordKind, at stamp: Stamp) {
        for slot in slots {
            switch kind.owners[slot] {
            case .register(let register): stamps[register] = max(stamps[register], stamp)
            case .whole(let whole): for part in kind.wholes[whole].parts { stamps[part] = max(stamps[part], stamp) }
            }
        }
    }
}
