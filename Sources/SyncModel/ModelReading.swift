import WireFormats

/// The values in a quarantined change that the device did not edit, but sent back as it had read them.
///
/// The server finds them when it puts the change into quarantine. With them, merging the change later has the same
/// result as merging it on arrival (`docs/internals/push.md`, *Quarantine*).
package struct ModelReading: Sendable, Hashable {
    /// The slots (indices of values in a record) whose values the change only repeats.
    let repeated: Set<Int>
    /// Some of the record's values at the time when the change was quarantined, by slot (the index of a value in a
    /// record).
    ///
    /// They are the values at the slots in `repeated`, and at all slots that are merged with these as one unit. Empty
    /// if the change contains a whole record.
    let values: [Int: Value]
}

extension RecordKind {
    /// Returns the merge unit to which a slot (the index of a value in a record) belongs.
    ///
    /// - Returns: the indices of the unit's registers (sets of slots with one stamp), and all slots of the unit.
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
    /// Finds the values in a quarantined change that the device did not edit, but sent back as it had read them.
    ///
    /// - Parameters:
    ///   - said: the quarantined change.
    ///   - reads: returns the value that versions read now at a slot (the index of a value in a record).
    ///   - read: returns the value that the device read at a slot before its push; `nil` if it read none.
    ///   - rewritten: the indices of the registers (sets of slots with one stamp) that other quarantined changes of the
    ///     same push edit. The registers that this change edits are added.
    /// - Returns: the values that the device did not edit, and the slots of the values that it edited.
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

    /// Restores values when a change leaves the quarantine: those that the device had sent back unedited in the change.
    ///
    /// A value is restored only if it has not been edited since then with the change's stamp or a later one.
    ///
    /// - Parameters:
    ///   - reading: the values that the device had sent back unedited.
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

    /// Gives attributes this stamp after a device has sent their values back unchanged. An attribute with a later stamp
    /// keeps it.
    ///
    /// - Parameter slots: the attributes' slots (indices of values in a record).
    mutating func say(again slots: [Int], of kind: RecordKind, at stamp: Stamp) {
        for slot in slots {
            switch kind.owners[slot] {
            case .register(let register): stamps[register] = max(stamps[register], stamp)
            case .whole(let whole): for part in kind.wholes[whole].parts { stamps[part] = max(stamps[part], stamp) }
            }
        }
    }
}
