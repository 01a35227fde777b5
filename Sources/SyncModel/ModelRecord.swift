import WireFormats

/// One record as every version reads it, and when each part of it was last edited.
struct ModelRecord: Sendable, Equatable {
    /// By place of its kind.
    var values: [Value]
    /// By register of its kind.
    var stamps: [Stamp]
    /// The latest explicit creation and the latest deletion.
    private(set) var born = Stamp.never
    private(set) var died = Stamp.never
    /// By register: what is no later is not weighed, because it was decided before there was a policy, or deleted.
    var floors: [Stamp]
    /// Places of what is edited as one of which nobody has said anything, though others of it were said.
    var unsaid: Set<Int> = []
    /// What was added to counters by now, so that it is added once.
    var counted: Set<Increment> = []
    /// The whole records that were judged (R6).
    private var judged: Set<Sent> = []

    typealias Values = [Value]

    /// A value that one version gives to one of its fields.
    struct Edit {
        let place: Int
        let value: Value
        /// Whether the version knows that it is a counter.
        var isOfCounter = false
    }

    /// A change in the terms of a kind.
    struct Said {
        let operation: ModelChange.Operation
        let id: ID
        var edits: [Edit]
        /// By register.
        let increments: [(register: Int, amount: Int64)]
        let shape: Int
        let stamp: Stamp?
        /// The same as its device sent it; `never` where it sent none.
        let sent: Stamp?
        let serverTime: Stamp
        let device: ID?
        let isHeld: Bool
        let isWhole: Bool
        let reading: ModelReading?
        /// The registers that held whole records of the device edit, with earlier stamps: of these a later one says
        /// what it says, also where it says what stands there.
        var takenBack: Set<Int> = []

        /// `nil` for what is known by nothing: without a device, or without a stamp.
        var name: Sent? {
            guard let device, let sent, sent != .never else { return nil }
            return Sent(device: device, stamp: sent)
        }
    }

    /// A change that is known by who sent it and when.
    struct Sent: Hashable {
        let device: ID
        let stamp: Stamp
    }

    /// Dead once its latest deletion is later than its latest explicit creation. What it goes with is not looked at.
    var isDeadItself: Bool { died > born }

    // MARK: Changes

    /// The record that a change of any kind makes where there was none: what it does not say has the defaults.
    init(_ said: Said, of kind: RecordKind) {
        let stamp = said.stamp ?? said.serverTime
        let counts = said.edits.filter { kind.isCounter($0.place) }
        let edits = said.edits.filter { !kind.isCounter($0.place) }
        values = ModelRecord.fresh(edits, of: kind, by: said.shape, id: said.id, at: stamp)
        stamps = Array(repeating: .never, count: kind.registers.count)
        floors = stamps
        for register in kind.registers.indices {
            noteSaid(edits.map(\.place), in: register, of: kind, by: said.shape, isFirst: true)
        }
        for edit in edits {
            switch kind.owners[edit.place] {
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

    /// What a change makes of a record that is there, alive or dead.
    ///
    /// - Parameters:
    ///   - reads: what any version reads at a place: null for a reference whose target is absent or dead.
    ///   - read: what its device, which holds the record, read there before it pushed; `nil` of a record that is new.
    ///   - diedBefore: when it had been deleted last before the push.
    mutating func take(
        _ said: Said, of kind: RecordKind, reads: (Int) -> Value, read: (Int) -> Value?, diedBefore: () -> Stamp
    ) {
        var said = said
        let stamp = said.stamp ?? max(said.serverTime, next)
        let knowsDeletion = said.isHeld || died != diedBefore()
        let begins = said.operation == .create && isDeadItself && stamp > died && knowsDeletion
        func isTakenBack(_ place: Int) -> Bool { !said.takenBack.isDisjoint(with: kind.unit(of: place).registers) }
        if said.isWhole {
            guard isJudgedNow(said) else { return }
            // What equals the record says nothing (R5). The page speaks of the view "as a pull would have it", which
            // is none of a dead record; it is compared all the same, with what stands in it.
            said.edits.removeAll { edit in
                if edit.isOfCounter, said.operation == .update { return true }
                if begins { return false }
                if let reading = said.reading { return reading.repeated.contains(edit.place) }
                let isNews = said.operation == .create && isUnsaid(edit.place, of: kind)
                return !isNews && !isTakenBack(edit.place) && edit.value == reads(edit.place)
            }
        }
        if begins { beginAnew(said, of: kind, at: stamp) }
        var repeated: [Int] = []
        if let reading = said.reading, !said.isWhole {
            restore(reading, before: stamp, of: kind)
            repeated = said.edits.map(\.place).filter(reading.repeated.contains)
            said.edits.removeAll { reading.repeated.contains($0.place) }
        }
        if said.operation == .create, stamp >= born {
            let edits = said.edits.filter { !kind.isCounter($0.place) }
            let fresh = ModelRecord.fresh(edits, of: kind, by: said.shape, id: said.id, at: stamp)
            fillUnwritten(fresh, for: edits, of: kind, isTie: stamp == born)
        }
        live(said.operation, at: stamp)
        // What another change of the push has made of it since, the device has not read; nor has who begins it anew.
        func isRepeated(_ edit: Edit) -> Bool {
            guard !begins, edit.value == reads(edit.place) else { return false }
            return isTakenBack(edit.place) || said.isHeld && edit.value == read(edit.place)
        }
        var registers: [Int: [Edit]] = [:]
        for edit in said.edits where !kind.isCounter(edit.place) {
            switch kind.owners[edit.place] {
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
                let repeated = edits.filter(isRepeated).map(\.place)
                take(edits, repeating: repeated, in: register, of: kind, by: said.shape, at: stamp)
            case .max, .min, .union: for edit in edits { weigh(edit, in: register, said, of: kind, at: stamp) }
            case .counter: break
            }
        }
        count(said.edits.filter { kind.isCounter($0.place) }, said, of: kind, at: stamp)
        say(again: repeated, of: kind, at: stamp)
        for flow in kind.rise { follow(flow) }
    }

    /// True for a change that is to be judged: of a whole record, one that was not before. It is known by the stamp
    /// that its device sent; without one or a `Device-Id` it is known by nothing, and judged each time.
    private mutating func isJudgedNow(_ said: Said) -> Bool {
        guard said.isWhole, let sent = said.name else { return true }
        return judged.insert(sent).inserted
    }

    mutating func forgetJudged() {
        judged = []
        counted = []
    }

    /// Whether nobody has said anything at a place; of a whole, of one of its parts.
    func isUnsaid(_ place: Int, of kind: RecordKind) -> Bool {
        switch kind.owners[place] {
        case .register(let register): stamps[register] == .never
        case .whole(let whole): kind.wholes[whole].parts.contains { stamps[$0] == .never }
        }
    }

    /// The least stamp after all that the record has (R3).
    private var next: Stamp {
        Stamp(unchecked: ([born, died] + stamps).reduce(0) { max($0, $1.rawValue) } + 1)
    }

    private mutating func live(_ operation: ModelChange.Operation, at stamp: Stamp) {
        switch operation {
        case .create: born = max(born, stamp)
        case .update: break
        case .delete: died = max(died, stamp)
        }
    }

    // MARK: Beginnings

    /// What nobody has written has the defaults of the latest creation; of two that are equally late, of each register
    /// those that would stand of two edits. What the creation itself writes begins with that, and not with what another
    /// assumed.
    private mutating func fillUnwritten(_ fresh: Values, for edits: [Edit], of kind: RecordKind, isTie: Bool) {
        var edited: Set<Int> = []
        for edit in edits {
            switch kind.owners[edit.place] {
            case .register(let register): edited.insert(register)
            case .whole(let whole): edited.formUnion(kind.wholes[whole].parts)
            }
        }
        let unwritten = stamps.indices.filter { stamps[$0] == .never }
        let before = self
        let isFilled = { (register: Int) in
            let whole = kind.registers[register].whole.map { kind.wholes[$0] }
            // Of what is said in part the rest is edited, and may be repeated (R4).
            if edited.contains(register) { return whole?.parts.allSatisfy(unwritten.contains) ?? true }
            guard isTie else { return true }
            // All parts at once are decided as one.
            let isWhole = whole?.parts.allSatisfy { unwritten.contains($0) && !edited.contains($0) } ?? false
            let places = isWhole ? whole?.linked ?? [] : kind.registers[register].places
            return before.isBeaten(by: fresh, among: places, of: kind)
        }
        let filled = unwritten.filter(isFilled)
        for register in filled {
            for place in kind.registers[register].places { values[place] = fresh[place] }
        }
        for whole in kind.wholes where whole.parts.contains(where: filled.contains) {
            if whole.parts.allSatisfy(filled.contains) {
                for place in whole.places { values[place] = fresh[place] }
            } else {
                for flow in whole.back { follow(flow) }
            }
        }
        for (number, register) in kind.registers.enumerated() where before.stamps[number] != .never {
            let places = unsaid.intersection(register.places).filter { place in
                !isTie || fresh[place] != before.values[place] && before.isBeaten(by: fresh, among: [place], of: kind)
            }
            fill(places, from: fresh, of: kind)
            // What the creation itself says there is said.
            if !places.isEmpty { unsaid.subtract(edits.map(\.place).filter(register.places.contains)) }
        }
    }

    /// The writing version's edits and defaults, and what follows from them for the others, stage by stage: what a
    /// neighbour has besides begins with the neighbour's own default.
    static func fresh(_ edits: [Edit], of kind: RecordKind, by shape: Int, id: ID, at stamp: Stamp) -> Values {
        let beginning = Beginning(id: id, createdAt: stamp.timestamp)
        var values: Values = Array(repeating: .null, count: kind.owners.count)
        for field in kind.fields[shape] {
            values[field.place] = beginning.value(of: field.attribute, standard: field.attribute.default)
        }
        for edit in edits { values[edit.place] = edit.value }
        for step in kind.beginnings[shape] {
            switch step {
            case .fill(let place, let attribute, let standard):
                values[place] = beginning.value(of: attribute, standard: standard)
            case .follow(let flow):
                for (place, value) in zip(flow.far, flow.convert(flow.near.map { values[$0] })) {
                    values[place] = value
                }
            case .copy(let place, let source): values[place] = values[source]
            }
        }
        return values
    }
}
