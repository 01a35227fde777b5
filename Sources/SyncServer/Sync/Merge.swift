import WireFormats

/// Merges changes into a record: the rules of life, and the later stamp wins for each unit of attributes, where the
/// plan declares nothing else.
///
/// Pure: the outcome depends on the record and the change only. The order in which changes arrive does not matter, but
/// where the put rule keeps a richer value that an older version wrote back untouched.
enum Merge {
    /// What a change did to a record, before lives are settled.
    struct Outcome {
        /// Attributes, as the change's version names them, that keep a later edit.
        var kept: [String] = []
        /// Whether any edit or the deletion took effect, even one that changed no value.
        var hasWon = false
        /// Whether the record holds more than the change says, so that its device must be told.
        var isJoined = false
    }

    /// The record that `change` makes where there was none.
    static func starting(
        _ change: Change, at stamp: Stamp, in entity: HubEntity
    ) throws(LensFailure) -> RecordState {
        let saysAll = change.edits.count == change.projection.fields.count
        let writesAll = saysAll && change.projection.unitCount == entity.units.count
        var state = RecordState(
            id: change.id,
            values: try change.projection.create(change.edits, id: change.id, createdAt: stamp.timestamp),
            stamps: StampSet(units: entity.units.count, all: writesAll ? stamp : .never))
        switch change.operation {
        case .create: state.born = stamp
        case .update: break
        case .delete: state.died = stamp
        }
        if !writesAll {
            for edit in change.edits { state.stamps[change.projection.fields[edit.field].unit] = stamp }
        }
        startUnions(change, &state, in: entity)
        return state
    }

    /// - Parameter readers: all versions' views of the entity.
    /// - Throws: where a lens cannot translate the change; `state` is then of no use.
    static func apply(
        _ change: Change, at stamp: Stamp, to state: inout RecordState, in entity: HubEntity, readers: [Projection]
    ) throws(LensFailure) -> Outcome {
        var outcome = Outcome()
        switch change.operation {
        case .create:
            if stamp > state.born { try fillUnwritten(&state, as: change, at: stamp, in: entity) }
            state.born = max(state.born, stamp)
        case .update: break
        case .delete:
            outcome.hasWon = stamp > state.born
            state.died = max(state.died, stamp)
            return outcome
        }
        var (winners, losers) = try contest(change, at: stamp, state, entity, readers)
        try change.projection.put(winners, into: &state.values)
        for edit in winners where !PlantedBug.lostStamp.isPlanted {
            state.stamps[change.projection.fields[edit.field].unit] = stamp
        }
        for edit in change.edits where entity.units[change.projection.fields[edit.field].unit].rule != .latest {
            switch try join(edit, of: change, at: stamp, into: &state, in: entity) {
            case .won: winners.append(edit)
            case .joined:
                winners.append(edit)
                outcome.isJoined = true
            case .lost: losers.append(edit)
            }
        }
        outcome.hasWon = !winners.isEmpty || change.edits.isEmpty && change.counts.isEmpty
        outcome.kept = losers.map { change.projection.fields[$0.field].name }
        return outcome
    }

    /// What nobody has written gets the defaults of the latest creation: whether it arrives after an update or a
    /// deletion of its record, or before another creation, the outcome is the same.
    private static func fillUnwritten(
        _ state: inout RecordState, as change: Change, at stamp: Stamp, in entity: HubEntity
    ) throws(LensFailure) {
        let fresh = try change.projection.create(change.edits, id: change.id, createdAt: stamp.timestamp)
        let written = Set(change.edits.map { change.projection.fields[$0.field].unit })
        for (place, unit) in entity.units.enumerated() where state.stamps[place] == .never && !written.contains(place) {
            for column in unit.columns {
                state.values[column] = fresh[column]
                state.withheld &= ~entity.largeBits[column]
            }
        }
    }

    /// Splits the edits of which the latest stands by whether they are later than what the record has.
    private static func contest(
        _ change: Change, at stamp: Stamp, _ state: RecordState, _ entity: HubEntity, _ readers: [Projection]
    ) throws(LensFailure) -> (winners: [FieldEdit], losers: [FieldEdit]) {
        var winners: [FieldEdit] = []
        var losers: [FieldEdit] = []
        for edit in change.edits {
            let unit = change.projection.fields[edit.field].unit
            guard entity.units[unit].rule == .latest else { continue }
            let current = state.stamps[unit]
            var wins = stamp > current || PlantedBug.retryApplied.isPlanted && change.operation == .create
            if stamp == current { wins = try winsTie(unit, change, state, entity, readers) }
            if wins {
                winners.append(edit)
            } else {
                losers.append(edit)
            }
        }
        return (winners, losers)
    }

    /// Equal stamps are broken by value, in hub terms: every server and every order of arrival gives the same. A retry
    /// wins its own tie and changes nothing.
    ///
    /// Where one of the two is only what a version reads of the other, it is the same edit, told by someone who does
    /// not see all of it: the richer value wins, as it would if it had come first.
    private static func winsTie(
        _ unit: Int, _ change: Change, _ state: RecordState, _ entity: HubEntity, _ readers: [Projection]
    ) throws(LensFailure) -> Bool {
        var candidate = state.values
        let linked = change.edits.filter { change.projection.fields[$0.field].unit == unit }
        try change.projection.put(linked, into: &candidate)
        let columns = entity.units[unit].columns
        guard let column = columns.first(where: { candidate[$0] != state.values[$0] }) else { return true }
        if isView(state.values, of: candidate, unit, columns, readers) { return true }
        return state.values[column].precedes(candidate[column])
    }

    /// Whether one of the versions, writing what it reads of `whole`, would make `row`.
    private static func isView(
        _ row: [Value], of whole: [Value], _ unit: Int, _ columns: [Int], _ readers: [Projection]
    ) -> Bool {
        readers.contains { reader in
            let edits = reader.fields.enumerated().filter { $1.unit == unit }.map { place, field in
                FieldEdit(field: place, value: field.view(whole[field.column]))
            }
            if edits.isEmpty { return false }
            // What a lens cannot translate, its version did not write.
            guard
                let made = try? reader.create(
                    edits, id: ID(high: 0, low: 0), createdAt: Timestamp(microseconds: 0))
            else { return false }
            return columns.allSatisfy { made[$0] == row[$0] }
        }
    }
}
