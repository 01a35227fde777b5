import WireFormats

/// One record, with the values that each version reads, and with the stamp of the latest edit of each of its units.
struct ModelRecord: Sendable, Equatable {
    /// The record's values, indexed by slot. Versions in which an attribute has the same values share one slot for it.
    var values: [Value]
    /// The stamp of the latest edit of each register. A register is a set of attributes that are merged as one unit.
    var stamps: [Stamp]
    /// The stamp of the latest change that created the record.
    private(set) var createdStamp = Stamp.never
    private(set) var deletedStamp = Stamp.never
    /// For each register (a set of attributes that are merged as one unit), the stamp up to which its merge policy
    /// ignores edits.
    ///
    /// Such edits are already part of the stored value, because they were merged before the plan declared the policy.
    /// Or they were deleted with the record.
    var floors: [Stamp]
    /// The slots (indices of values in a record) that still have default values, although a change has set other slots
    /// of the same register.
    var unsaid: Set<Int> = []
    /// The additions to counters that were applied. An addition that arrives again is recognised by them.
    var counted: Set<Increment> = []
    /// The changes with a whole record (all attributes) that were merged. Such a change is not merged again if it
    /// arrives a second time.
    private var judged: Set<Sent> = []

    typealias Values = [Value]

    /// A new value for an attribute, from a change of one version.
    struct Edit {
        let slot: Int
        let value: Value
        /// True if the attribute is a counter in the version that wrote the value.
        var isOfCounter = false
    }

    /// A change in the model's terms. Its attributes are replaced by slots (indices of values in a record) and
    /// registers (sets of slots with one stamp).
    struct Said {
        let operation: ModelChange.Operation
        let id: ID
        var edits: [Edit]
        /// The amounts that are added to counters, each with the index of the counter's register.
        let increments: [(register: Int, amount: Int64)]
        let shape: Int
        let stamp: Stamp?
        /// The stamp that the device sent; `Stamp.never` or `nil` if it sent none.
        let sent: Stamp?
        let serverTime: Stamp
        let device: ID?
        let isHeld: Bool
        let isWhole: Bool
        let reading: ModelReading?
        /// The registers (sets of attributes with one stamp) that the same device has edited before, in quarantined
        /// changes with whole records.
        ///
        /// The device may now take such an edit back, by sending the value that the record still has. So this change's
        /// values in these registers count as edits, even if they equal the record's values.
        var takenBack: Set<Int> = []

        /// The change's identity; `nil` if its device or its stamp is missing.
        var name: Sent? {
            guard let device, let sent, sent != .never else { return nil }
            return Sent(device: device, stamp: sent)
        }
    }

    /// The identity of a change: the device that sent it, and the stamp that it sent.
    struct Sent: Hashable {
        let device: ID
        let stamp: Stamp
    }

    /// True if the latest deletion of the record itself is later than its latest creation. A record may also be deleted
    /// with another one to which it belongs; this is not considered here.
    var isDeadItself: Bool { deletedStamp > createdStamp }

    // MARK: Changes

    /// Makes a new record from a change: a creation, an update or a deletion. Attributes that the change does not set
    /// get their defaults.
    init(_ said: Said, of kind: RecordKind) {
        let stamp = said.stamp ?? said.serverTime
        let counts = said.edits.filter { kind.isCounter($0.slot) }
        let edits = said.edits.filter { !kind.isCounter($0.slot) }
        values = ModelRecord.fresh(edits, of: kind, by: said.shape, id: said.id, at: stamp)
        stamps = Array(repeating: .never, count: kind.registers.count)
        floors = stamps
        for register in kind.registers.indices {
            noteSaid(edits.map(\.slot), in: register, of: kind, by: said.shape, isFirst: true)
        }
        for edit in edits {
            switch kind.owners[edit.slot] {
            case .register(let register):
                stamps[register] = stamp
                if kind.registers[register].policy == .union { join(.null, in: register, of: kind) }
            case .whole(let whole):
                for part in kind.wholes[whole].parts { stamps[part] = stamp }
            }
        }
        _ = isJudgedNow(said)
        live(said.operation, at: stamp)
        count(counts, said, of: kind, at: stamp)
    }

    /// Merges a change into a record that already exists in the model. The record may be deleted.
    ///
    /// - Parameters:
    ///   - reads: returns the value that versions read now at a slot (the index of a value in a record). It is null for
    ///     a reference whose target does not exist or is deleted.
    ///   - read: returns the value that the change's device read at a slot before its push; `nil` if the device did not
    ///     have the record's current state, or if the record did not exist or was deleted.
    ///   - deletedStampBefore: returns the stamp that the record's latest deletion had before the push.
    mutating func take(
        _ said: Said, of kind: RecordKind, reads: (Int) -> Value, read: (Int) -> Value?, deletedStampBefore: () -> Stamp
    ) {
        var said = said
        let stamp = said.stamp ?? max(said.serverTime, next)
        let knowsDeletion = said.isHeld || deletedStamp != deletedStampBefore()
        let begins = said.operation == .create && isDeadItself && stamp > deletedStamp && knowsDeletion
        func isTakenBack(_ slot: Int) -> Bool { !said.takenBack.isDisjoint(with: kind.unit(of: slot).registers) }
        if said.isWhole {
            guard isJudgedNow(said) else { return }
            // What equals the record says nothing (R5). The page speaks of the view "as a pull would have it", which
            // is none of a dead record; it is compared all the same, with the values that it has.
            said.edits.removeAll { edit in
                if edit.isOfCounter, said.operation == .update { return true }
                if begins { return false }
                if let reading = said.reading { return reading.repeated.contains(edit.slot) }
                let isNews = said.operation == .create && isUnsaid(edit.slot, of: kind)
                return !isNews && !isTakenBack(edit.slot) && edit.value == reads(edit.slot)
            }
        }
        if begins { beginAnew(said, of: kind, at: stamp) }
        var repeated: [Int] = []
        if let reading = said.reading, !said.isWhole {
            restore(reading, before: stamp, of: kind)
            repeated = said.edits.map(\.slot).filter(reading.repeated.contains)
            said.edits.removeAll { reading.repeated.contains($0.slot) }
        }
        if said.operation == .create, stamp >= createdStamp {
            let edits = said.edits.filter { !kind.isCounter($0.slot) }
            let fresh = ModelRecord.fresh(edits, of: kind, by: said.shape, id: said.id, at: stamp)
            fillUnwritten(fresh, for: edits, of: kind, isTie: stamp == createdStamp)
        }
        live(said.operation, at: stamp)
        // The device has not read the result of an earlier change in the push, nor has a device that creates the record
        // anew.
        func isRepeated(_ edit: Edit) -> Bool {
            guard !begins, edit.value == reads(edit.slot) else { return false }
            return isTakenBack(edit.slot) || said.isHeld && edit.value == read(edit.slot)
        }
        var registers: [Int: [Edit]] = [:]
        for edit in said.edits where !kind.isCounter(edit.slot) {
            switch kind.owners[edit.slot] {
            case .register(let register): registers[register, default: []].append(edit)
            case .whole(let whole):
                take(edit, isRepeated: isRepeated(edit), of: whole, kind, by: said.shape, at: stamp)
            }
        }
        for (number, whole) in kind.wholes.enumerated() {
            let edits = whole.parts.flatMap { registers[$0] ?? [] }
            for part in takeTogether(edits, of: number, kind, by: said.shape, at: stamp) { registers[part] = nil }
        }
        for (register, edits) in registers.sorted(by: { $0.key < $1.key }) {
            switch kind.registers[register].policy {
            case .latest:
                let repeated = edits.filter(isRepeated).map(\.slot)
                take(edits, repeating: repeated, in: register, of: kind, by: said.shape, at: stamp)
            case .max, .min, .union: for edit in edits { weigh(edit, in: register, said, of: kind, at: stamp) }
            case .counter: break
            }
        }
        count(said.edits.filter { kind.isCounter($0.slot) }, said, of: kind, at: stamp)
        say(again: repeated, of: kind, at: stamp)
        for flow in kind.rise { follow(flow) }
    }

    /// Returns true if the change is to be merged.
    ///
    /// This is false only for a whole record (a change with all attributes) that was merged before. The model
    /// recognises it by its device and by the stamp that the device sent. If one of them is missing, the change is
    /// merged each time it arrives.
    private mutating func isJudgedNow(_ said: Said) -> Bool {
        guard said.isWhole, let sent = said.name else { return true }
        return judged.insert(sent).inserted
    }

    mutating func forgetJudged() {
        judged = []
        counted = []
    }

    /// Returns true if no change has set the value at a slot (the index of a value in a record). If a stage (migration
    /// step) splits the attribute into parts, returns true if at least one part was never set.
    func isUnsaid(_ slot: Int, of kind: RecordKind) -> Bool {
        switch kind.owners[slot] {
        case .register(let register): stamps[register] == .never
        case .whole(let whole): kind.wholes[whole].parts.contains { stamps[$0] == .never }
        }
    }

    /// The smallest stamp that is later than those of all edits of the record, its creation and its deletion. A change
    /// without a stamp gets this stamp or a later one, so that it wins.
    private var next: Stamp {
        Stamp(unchecked: ([createdStamp, deletedStamp] + stamps).reduce(0) { max($0, $1.rawValue) } + 1)
    }

    private mutating func live(_ operation: ModelChange.Operation, at stamp: Stamp) {
        switch operation {
        case .create: createdStamp = max(createdStamp, stamp)
        case .update: break
        case .delete: deletedStamp = max(deletedStamp, stamp)
        }
    }

    // MARK: Beginnings

    /// Gives the attributes that no change has set the default values of the record's latest creation.
    ///
    /// If two creations have equal stamps, their default values are compared like edits.
    ///
    /// - Parameters:
    ///   - fresh: the values of a new record that the latest creation makes.
    ///   - edits: the values that the latest creation sets.
    ///   - isTie: true if an earlier creation has the same stamp.
    private mutating func fillUnwritten(_ fresh: Values, for edits: [Edit], of kind: RecordKind, isTie: Bool) {
        var edited: Set<Int> = []
        for edit in edits {
            switch kind.owners[edit.slot] {
            case .register(let register): edited.insert(register)
            case .whole(let whole): edited.formUnion(kind.wholes[whole].parts)
            }
        }
        let unwritten = stamps.indices.filter { stamps[$0] == .never }
        let before = self
        let isFilled = { (register: Int) in
            let whole = kind.registers[register].whole.map { kind.wholes[$0] }
            // If a whole was stated in part, the rest counts as edited, and may be repeated (R4).
            if edited.contains(register) { return whole?.parts.allSatisfy(unwritten.contains) ?? true }
            guard isTie else { return true }
            // Edits of all parts at once are decided as one.
            let isWhole = whole?.parts.allSatisfy { unwritten.contains($0) && !edited.contains($0) } ?? false
            let slots = isWhole ? whole?.linked ?? [] : kind.registers[register].slots
            return before.isBeaten(by: fresh, among: slots, of: kind)
        }
        let filled = unwritten.filter(isFilled)
        for register in filled {
            for slot in kind.registers[register].slots { values[slot] = fresh[slot] }
        }
        for whole in kind.wholes where whole.parts.contains(where: filled.contains) {
            if whole.parts.allSatisfy(filled.contains) {
                for slot in whole.slots { values[slot] = fresh[slot] }
            } else {
                for flow in whole.back { follow(flow) }
            }
        }
        for (number, register) in kind.registers.enumerated() where before.stamps[number] != .never {
            let slots = unsaid.intersection(register.slots).filter { slot in
                !isTie || fresh[slot] != before.values[slot] && before.isBeaten(by: fresh, among: [slot], of: kind)
            }
            fill(slots, from: fresh, of: kind)
            // The values that the creation itself states count as stated.
            if !slots.isEmpty { unsaid.subtract(edits.map(\.slot).filter(register.slots.contains)) }
        }
    }

    /// Returns the initial values of a record, in all versions.
    ///
    /// The version that creates the record determines its own attributes, by its edits and defaults. The stages
    /// (migration steps) convert them for the other versions. An attribute that this version does not have gets the
    /// default of the nearest version that has it.
    ///
    /// - Parameters:
    ///   - shape: the index of the version that creates the record.
    ///   - stamp: the stamp of the record's creation.
    static func fresh(_ edits: [Edit], of kind: RecordKind, by shape: Int, id: ID, at stamp: Stamp) -> Values {
        let beginning = Beginning(id: id, createdAt: stamp.timestamp)
        var values: Values = Array(repeating: .null, count: kind.owners.count)
        for field in kind.fields[shape] {
            values[field.slot] = beginning.value(of: field.attribute, standard: field.attribute.default)
        }
        for edit in edits { values[edit.slot] = edit.value }
        for step in kind.beginnings[shape] {
            switch step {
            case .fill(let slot, let attribute, let standard):
                values[slot] = beginning.value(of: attribute, standard: standard)
            case .follow(let flow):
                for (slot, value) in zip(flow.far, flow.convert(flow.near.map { values[$0] })) {
                    values[slot] = value
                }
            case .copy(let slot, let source): values[slot] = values[source]
            }
        }
        return values
    }
}
