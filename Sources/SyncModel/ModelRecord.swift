import WireFormats

/// One record as every version reads it, and when each part of it was last edited.
struct ModelRecord: Sendable {
    /// By place of its kind.
    private(set) var values: [Value]
    /// By unit of its kind.
    private(set) var stamps: [Stamp]
    /// The latest explicit creation and the latest deletion.
    private(set) var born = Stamp.never
    private(set) var died = Stamp.never

    /// A value that one version gives to one of its fields.
    struct Edit {
        let place: Int
        let value: Value
    }

    /// Dead once its latest deletion is later than its latest explicit creation. What it goes with is not looked at.
    var isDeadItself: Bool { died > born }

    /// The record that a change of any kind makes where there was none: what it does not say has the defaults.
    init(
        _ operation: ModelChange.Operation, _ edits: [Edit], of kind: RecordKind, by shape: Int, id: ID, at stamp: Stamp
    ) {
        values = ModelRecord.fresh(edits, of: kind, by: shape, id: id, at: stamp)
        stamps = Array(repeating: .never, count: kind.units.count)
        for edit in edits { stamps[kind.unitOfPlace[edit.place]] = stamp }
        live(operation, at: stamp)
    }

    /// What a change makes of a record that is there, alive or dead.
    mutating func take(
        _ operation: ModelChange.Operation, _ edits: [Edit], of kind: RecordKind, by shape: Int, id: ID,
        at stamp: Stamp
    ) {
        if operation == .create, stamp > born {
            fillUnwritten(ModelRecord.fresh(edits, of: kind, by: shape, id: id, at: stamp), but: edits, of: kind)
        }
        live(operation, at: stamp)
        let winners = edits.filter { wins(edits, in: kind.unitOfPlace[$0.place], of: kind, by: shape, at: stamp) }
        write(winners, of: kind, by: shape)
        // Also where the edit says what its version reads already: it is the latest word.
        for edit in winners { stamps[kind.unitOfPlace[edit.place]] = stamp }
    }

    private mutating func live(_ operation: ModelChange.Operation, at stamp: Stamp) {
        switch operation {
        case .create: born = max(born, stamp)
        case .update: break
        case .delete: died = max(died, stamp)
        }
    }

    /// Whether the edits of one unit stand against what the record has.
    ///
    /// The one rule of merging so far: the later stamp, and of equal ones the greater value. Policies that attributes
    /// declare for themselves belong here, because only they would make something else of two edits than one of them.
    private func wins(_ edits: [Edit], in unit: Int, of kind: RecordKind, by shape: Int, at stamp: Stamp) -> Bool {
        guard stamp == stamps[unit] else { return stamp > stamps[unit] }
        var candidate = self
        candidate.write(edits.filter { kind.unitOfPlace[$0.place] == unit }, of: kind, by: shape)
        for place in kind.units[unit].telling where values[place] != candidate.values[place] {
            return values[place].precedes(candidate.values[place])
        }
        return true
    }

    /// What one version writes, and what the others then read.
    ///
    /// An edit that says what its version reads changes nothing, and where a version reads the same as before, those
    /// beyond it do, too.
    private mutating func write(_ edits: [Edit], of kind: RecordKind, by shape: Int) {
        let before = values
        for edit in edits { values[edit.place] = edit.value }
        guard values != before else { return }
        for flow in kind.flows[shape] where flow.near.contains(where: { values[$0] != before[$0] }) {
            follow(flow)
        }
    }

    private mutating func follow(_ flow: RecordKind.Flow) {
        for (place, value) in zip(flow.far, flow.convert(flow.near.map { values[$0] })) { values[place] = value }
    }

    /// What nobody has written has the defaults of the latest creation.
    private mutating func fillUnwritten(_ fresh: ModelRecord.Values, but edits: [Edit], of kind: RecordKind) {
        let written = Set(edits.map { kind.unitOfPlace[$0.place] })
        for place in values.indices {
            let unit = kind.unitOfPlace[place]
            if stamps[unit] == .never, !written.contains(unit) { values[place] = fresh[place] }
        }
    }

    typealias Values = [Value]

    /// The writing version's edits and defaults, and what follows from them for the others, stage by stage: what a
    /// neighbour has besides begins with the neighbour's own default.
    private static func fresh(
        _ edits: [Edit], of kind: RecordKind, by shape: Int, id: ID, at stamp: Stamp
    ) -> Values {
        let beginning = Beginning(id: id, createdAt: stamp.timestamp)
        var values: Values = Array(repeating: .null, count: kind.unitOfPlace.count)
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
