import WireFormats

/// The values that a device only repeated in a change that was held. With them, the replay has the same outcome as if
/// the change had been merged on arrival (`docs/architecture.md`, *Quarantine*).
package struct ModelReading: Sendable, Hashable {
    /// The places whose values the change repeats.
    let repeated: Set<Int>
    /// The values at these places, and at the places edited together with them, when the change was held.
    let values: [Int: Value]
}

extension RecordKind {
    /// The registers that are edited together with a place, and all places of these registers.
    func unit(of place: Int) -> (registers: [Int], places: [Int]) {
        var whole: Int?
        switch owners[place] {
        case .register(let register):
            whole = registers[register].whole
            if whole == nil { return ([register], registers[register].places) }
        case .whole(let number): whole = number
        }
        guard let whole else { return ([], []) }
        return (wholes[whole].parts, wholes[whole].linked + wholes[whole].places)
    }
}

extension ModelRecord {
    /// Finds out which values a held change only repeats.
    ///
    /// - Parameters:
    ///   - reads: returns the value that any version reads at a place.
    ///   - read: returns the value that the device read at a place before it pushed.
    ///   - rewritten: the registers that held changes of the push edit; the registers of this change are added.
    /// - Returns: the repeated values, and the places that the change edits.
    func reading(
        of said: Said, _ kind: RecordKind, _ rewritten: inout Set<Int>, reads: (Int) -> Value, read: (Int) -> Value?
    ) -> (reading: ModelReading, edited: Set<Int>) {
        var (repeated, edited) = (Set<Int>(), Set<Int>())
        rewritten.formUnion(said.takenBack)
        for edit in said.edits where !kind.isCounter(edit.place) {
            let unit = kind.unit(of: edit.place)
            let isNews = said.operation == .create && isUnsaid(edit.place, of: kind)
            let isSame =
                edit.value == reads(edit.place) && (said.isWhole || said.isHeld && edit.value == read(edit.place))
            if isSame, !isNews, rewritten.isDisjoint(with: unit.registers) {
                repeated.insert(edit.place)
            } else {
                edited.insert(edit.place)
            }
        }
        rewritten.formUnion(edited.flatMap { kind.unit(of: $0).registers })
        let places = said.isWhole ? [] : Set(repeated.flatMap { kind.unit(of: $0).places })
        let kept = Dictionary(uniqueKeysWithValues: places.map { ($0, values[$0]) })
        return (ModelReading(repeated: repeated, values: kept), edited)
    }

    /// Restores the values of a reading at places where every later write has an earlier stamp than `stamp`.
    mutating func restore(_ reading: ModelReading, before stamp: Stamp, of kind: RecordKind) {
        for place in reading.repeated {
            let unit = kind.unit(of: place)
            guard unit.registers.allSatisfy({ kind.registers[$0].policy == .latest && stamps[$0] < stamp }) else {
                continue
            }
            for place in unit.places { values[place] = reading.values[place] ?? values[place] }
        }
    }

    /// Raises the stamps of repeated places to this stamp.
    mutating func say(again places: [Int], of kind: RecordKind, at stamp: Stamp) {
        for place in places {
            switch kind.owners[place] {
            case .register(let register): stamps[register] = max(stamps[register], stamp)
            case .whole(let whole): for part in kind.wholes[whole].parts { stamps[part] = max(stamps[part], stamp) }
            }
        }
    }
}
