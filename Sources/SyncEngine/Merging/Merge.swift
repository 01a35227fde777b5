import PlantedBugs
import WireFormats

/// Merges changes into a record: the rules of life, and the later stamp wins for each unit of attributes, where the
/// plan declares nothing else.
///
/// Pure: the outcome depends on the record, the change and whether its device holds the record. The order in which
/// changes arrive does not matter, but where a repetition leaves in place what must be there.
enum Merge {
    /// What a change did to a record, before lives are settled.
    struct Outcome {
        /// Attributes, as the change's version names them, that keep a later edit.
        var kept: [String] = []
        /// Whether any edit or the deletion took effect, even one that changed no value.
        var hasWon = false
        /// Whether the record holds more than the change says, so that its device must be told.
        var isJoined = false

        /// Adds what another part of the same change did.
        mutating func add(_ other: Outcome) {
            kept += other.kept
            hasWon = hasWon || other.hasWon
            isJoined = isJoined || other.isJoined
        }
    }

    /// The record that `change` makes where there was none.
    static func starting(
        _ change: Change, at stamp: Stamp, in entity: HubEntity
    ) throws(LensFailure) -> RecordState {
        let saysAll = change.edits.count == change.projection.fields.count
        let writesAll = saysAll && change.projection.unitCount == entity.units.count
        var state = RecordState(
            id: change.id,
            values: try change.projection.create(change.beginnings, id: change.id, createdAt: stamp.timestamp),
            stamps: StampSet(of: entity, all: writesAll ? stamp : .never))
        switch change.operation {
        case .create: state.born = stamp
        case .update: break
        case .delete: state.died = stamp
        }
        if !writesAll {
            for edit in change.edits { state.stamps[change.projection.fields[edit.field].unit] = stamp }
            for unit in entity.unitsEditedAsOne { noteSaid(unit, by: change.edits, of: change, true, &state, entity) }
        }
        for unit in entity.unitsWithParts { Parts(unit, of: change, in: entity)?.start(&state, at: stamp) }
        startUnions(change, &state, in: entity)
        return state
    }

    /// - Parameters:
    ///   - readers: all versions' views of the entity.
    ///   - read: the record as the change's device has read it, so that an edit which says what it reads there is a
    ///     repetition; `nil` where it has not.
    /// - Throws: where a lens cannot translate the change; `state` is then of no use.
    static func apply(
        _ change: Change, at stamp: Stamp, to state: inout RecordState, in entity: HubEntity, readers: [Projection],
        read: RecordState?
    ) throws(LensFailure) -> Outcome {
        var outcome = Outcome()
        switch change.operation {
        case .create:
            if stamp == state.born, let unsaid = change.unsaid {
                try correctUnsaid(unsaid, of: change, &state, in: entity)
            } else if stamp >= state.born {
                try fillUnwritten(&state, as: change, at: stamp, in: entity, readers)
            }
            state.born = max(state.born, stamp)
        case .update:
            if state.born == .never, let unsaid = change.unsaid {
                try correctUnsaid(unsaid, of: change, &state, in: entity)
            }
        case .delete:
            outcome.hasWon = stamp > state.born
            state.died = max(state.died, stamp)
            return outcome
        }
        var (winners, losers) = try contest(change, at: stamp, state, entity, readers)
        let ties = winners.filter { state.stamps[change.projection.fields[$0.field].unit] == stamp }
        try write(winners, but: ties, of: change, to: &state, entity, read: read)
        for unit in entity.unitsEditedAsOne {
            noteSaid(unit, by: winners, of: change, state.stamps[unit] == .never, &state, entity)
        }
        for edit in winners where !PlantedBug.lostStamp.isPlanted {
            state.stamps[change.projection.fields[edit.field].unit] = stamp
        }
        for unit in entity.unitsWithParts {
            guard let parts = Parts(unit, of: change, in: entity) else { continue }
            let merged = try parts.merge(at: stamp, into: &state, readers: readers, read: read)
            winners += merged.winners
            losers += merged.losers
            outcome.hasWon = outcome.hasWon || merged.isPartial
        }
        for edit in change.edits where entity.units[change.projection.fields[edit.field].unit].rule != .latest {
            switch try join(edit, of: change, at: stamp, into: &state, in: entity, readers, read: read) {
            case .won: winners.append(edit)
            case .joined:
                winners.append(edit)
                outcome.isJoined = true
            case .lost: losers.append(edit)
            }
        }
        outcome.hasWon = outcome.hasWon || !winners.isEmpty || change.edits.isEmpty && change.counts.isEmpty
        // As the change names them, whatever they are decided with.
        let kept = losers.isEmpty ? [] : change.edits.filter { losers.contains($0) }
        outcome.kept = kept.map { change.projection.fields[$0.field].name }
        return outcome
    }

    /// Writes the edits that stand, each in all forms of its value. But where the device repeats what it holds, or an
    /// edit of the same stamp says what is there already, the value stays in the form that says most.
    ///
    /// - Parameter ties: those of the winners whose stamp the record has.
    static func write(
        _ winners: [FieldEdit], but ties: [FieldEdit], of change: Change, to state: inout RecordState,
        _ entity: HubEntity, read: RecordState?
    ) throws(LensFailure) {
        let later = winners.filter { edit in
            if ties.contains(edit) { return false }
            let field = change.projection.fields[edit.field]
            return PlantedBug.echoWrittenBack.isPlanted || !isRepetition(edit, in: field, of: state, entity, read: read)
        }
        let before = state.dangling == 0 ? [] : state.values
        if !ties.isEmpty { try change.projection.put(ties, into: &state.values) }
        if !later.isEmpty { try change.projection.write(later, into: &state.values) }
        if !before.isEmpty { state.showReferences(since: before, in: entity) }
    }

    /// Whether an edit says what its device has read in the record and what stands there still: what another change of
    /// the push has made of it since, the device had not read.
    static func isRepetition(
        _ edit: FieldEdit, in field: Projection.Field, of state: RecordState, _ entity: HubEntity, read: RecordState?
    ) -> Bool {
        guard let read, state.visible(field, in: entity) == edit.value else { return false }
        return read.visible(field, in: entity) == edit.value
    }

    /// What nobody has written gets the defaults of the latest creation: whether it arrives after an update or a
    /// deletion of its record, or before another creation, the outcome is the same. Of creations with equal stamps, by
    /// versions whose defaults differ, each unit gets those that would stand of two edits.
    private static func fillUnwritten(
        _ state: inout RecordState, as change: Change, at stamp: Stamp, in entity: HubEntity, _ readers: [Projection]
    ) throws(LensFailure) {
        let fresh = try change.projection.create(change.beginnings, id: change.id, createdAt: stamp.timestamp)
        let written = Set(change.edits.map { change.projection.fields[$0.field].unit })
        let isTie = stamp == state.born
        for (place, unit) in entity.units.enumerated() where state.stamps[place] == .never {
            if written.contains(place) {
                // It begins with what the creation says of it, or an edit that reads as somebody's default would leave
                // that default in its place. Where all edits count, they are joined below.
                if unit.rule != .latest { continue }
            } else if isTie, !state.isBeaten(by: fresh, in: unit, of: entity, readers) {
                continue
            }
            for column in unit.columns {
                state.values[column] = fresh[column]
                state.withheld &= ~entity.largeBits[column]
            }
        }
        for place in entity.unitsEditedAsOne where state.stamps[place] != .never {
            let unsaid = state.stamps.unsaid(in: entity.units[place]).filter { column in
                guard isTie, fresh[column] != state.values[column] else { return !isTie }
                return winsTie(fresh, state.values, of: [column], readers)
            }
            if unsaid.isEmpty { continue }
            try write(unsaid.map { [$0] }, from: fresh, to: &state, entity, readers)
            // What the creation itself says there is said.
            let said = change.edits.map { change.projection.fields[$0.field].column }
            let rest = state.stamps.unsaid(in: entity.units[place]).filter { !said.contains($0) }
            state.stamps.setUnsaid(rest, in: entity.units[place])
        }
        for unit in entity.unitsWithParts where state.stamps[unit] != .never || written.contains(unit) {
            let said = Parts(unit, of: change, in: entity)
            let open = unsaid(in: state, unit: unit, of: entity, but: said).filter { part in
                guard isTie else { return true }
                let isSame = part.allSatisfy { fresh[$0] == state.values[$0] }
                return !isSame && winsTie(fresh, state.values, of: part, readers)
            }
            if !open.isEmpty { try write(open, from: fresh, to: &state, entity, readers) }
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
            guard entity.units[unit].rule == .latest, entity.units[unit].parts.isEmpty else { continue }
            let current = state.stamps[unit]
            var wins = stamp > current || PlantedBug.retryApplied.isPlanted && change.operation == .create
            if stamp == current {
                let linked = change.edits.filter { change.projection.fields[$0.field].unit == unit }
                var candidate = state.values
                try change.projection.put(linked, into: &candidate)
                wins =
                    PlantedBug.tieByArrival.isPlanted
                    || winsTie(candidate, state.values, of: entity.units[unit].columns, readers)
            }
            if wins {
                winners.append(edit)
            } else {
                losers.append(edit)
            }
        }
        return (winners, losers)
    }
}

extension RecordState {
    /// Whether others' defaults of a unit stand against those that are here, with equal stamps. What was not read
    /// stays: it is larger than any default.
    fileprivate func isBeaten(
        by values: [Value], in unit: HubEntity.MergeUnit, of entity: HubEntity, _ readers: [Projection]
    ) -> Bool {
        if unit.columns.contains(where: { withheld & entity.largeBits[$0] != 0 }) { return false }
        let parts = unit.parts.flatMap(\.self)
        let others = unit.columns.filter { !parts.contains($0) }
        return Merge.winsTie(values, self.values, of: parts, before: others, readers)
    }
}
