import PlantedBugs
import WireFormats

/// Merges changes into a record. In each merge unit (attributes that win or lose together), the edit with the later
/// stamp wins, if the plan declares no other policy. The latest creation and the latest deletion are kept, and later
/// decide if the record is alive.
///
/// The functions are pure: the outcome depends only on the record, the change, and the record as the change's device
/// has read it.
///
/// The order in which changes arrive does not matter, with one exception. An edit that repeats a value leaves a more
/// detailed stored value in place, but only if that value has arrived before the edit.
enum ConflictMerge {
    /// The effect of a change on a record, before it is decided which records are alive.
    struct Outcome {
        /// The attributes in which a later edit by another change wins, by their names in the change's version.
        var kept: [String] = []
        /// True if any edit or the deletion took effect, even one that changed no value.
        var hasWon = false
        /// True if the record now has more than the change's values, because they were joined with others. The device
        /// must then be sent the record.
        var isJoined = false

        /// Adds the outcome of merging other edits of the same change.
        mutating func add(_ other: Outcome) {
            kept += other.kept
            hasWon = hasWon || other.hasWon
            isJoined = isJoined || other.isJoined
        }
    }

    /// Returns the record that results from `change` if there was none before.
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
        case .create: state.createdStamp = stamp
        case .update: break
        case .delete: state.deletedStamp = stamp
        }
        if !writesAll {
            for edit in change.edits { state.stamps[change.projection.fields[edit.field].unit] = stamp }
            for unit in entity.unitsEditedAsOne { noteSaid(unit, by: change.edits, of: change, true, &state, entity) }
        }
        for unit in entity.unitsWithParts { Parts(unit, of: change, in: entity)?.start(&state, at: stamp) }
        startUnions(change, &state, in: entity)
        return state
    }

    /// Merges a change into a record.
    ///
    /// - Parameters:
    ///   - readers: the projections of the entity in all versions.
    ///   - read: the record as the change's device has read it; `nil` if the device has not read it. An edit that
    ///     equals the value which the device reads there counts as a repetition.
    /// - Throws: `LensFailure` if a lens cannot translate the change; `state` is then unusable.
    static func apply(
        _ change: Change, at stamp: Stamp, to state: inout RecordState, in entity: HubEntity, readers: [Projection],
        read: RecordState?
    ) throws(LensFailure) -> Outcome {
        var outcome = Outcome()
        switch change.operation {
        case .create:
            if stamp == state.createdStamp, let unsaid = change.unsaid {
                try correctUnsaid(unsaid, of: change, &state, in: entity)
            } else if stamp >= state.createdStamp {
                try fillUnwritten(&state, as: change, at: stamp, in: entity, readers)
            }
            state.createdStamp = max(state.createdStamp, stamp)
        case .update:
            if state.createdStamp == .never, let unsaid = change.unsaid {
                try correctUnsaid(unsaid, of: change, &state, in: entity)
            }
        case .delete:
            outcome.hasWon = stamp > state.createdStamp
            state.deletedStamp = max(state.deletedStamp, stamp)
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
        // The names are those of the change's own edits, whatever they were decided with.
        let kept = losers.isEmpty ? [] : change.edits.filter { losers.contains($0) }
        outcome.kept = kept.map { change.projection.fields[$0.field].name }
        return outcome
    }

    /// Writes the values of the winning edits to all columns that store the edited attributes.
    ///
    /// Two kinds of edits leave the stored value as it is, because it may be more precise. One kind only repeats what
    /// the device has read. The other has the same stamp and an equal value.
    ///
    /// - Parameter ties: the winning edits whose stamp equals the record's stamp.
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

    /// Returns true if an edit equals the current value, and the device has read that value in the record before. A
    /// value that another change of the same push has set since was not read by the device.
    static func isRepetition(
        _ edit: FieldEdit, in field: Projection.Field, of state: RecordState, _ entity: HubEntity, read: RecordState?
    ) -> Bool {
        guard let read, state.visible(field, in: entity) == edit.value else { return false }
        return read.visible(field, in: entity) == edit.value
    }

    /// Fills attributes that nobody has written with the defaults of the latest creation. So the outcome does not
    /// depend on the order in which the creation and other changes of the record arrive.
    ///
    /// If two creations have equal stamps but different defaults, the defaults compete like edits, separately for each
    /// merge unit (attributes that win or lose together).
    private static func fillUnwritten(
        _ state: inout RecordState, as change: Change, at stamp: Stamp, in entity: HubEntity, _ readers: [Projection]
    ) throws(LensFailure) {
        let fresh = try change.projection.create(change.beginnings, id: change.id, createdAt: stamp.timestamp)
        let written = Set(change.edits.map { change.projection.fields[$0.field].unit })
        let isTie = stamp == state.createdStamp
        for (index, unit) in entity.units.enumerated() where state.stamps[index] == .never {
            if written.contains(index) {
                // The unit begins with the creation's value. Otherwise an edit that reads as another version's default
                // would leave that default in place. If all edits count, they are joined below.
                if unit.rule != .latest { continue }
            } else if isTie, !state.isBeaten(by: fresh, in: unit, of: entity, readers) {
                continue
            }
            for column in unit.columns {
                state.values[column] = fresh[column]
                state.withheld &= ~entity.largeBits[column]
            }
        }
        for index in entity.unitsEditedAsOne where state.stamps[index] != .never {
            let unsaid = state.stamps.unsaid(in: entity.units[index]).filter { column in
                guard isTie, fresh[column] != state.values[column] else { return !isTie }
                return winsTie(fresh, state.values, of: [column], readers)
            }
            if unsaid.isEmpty { continue }
            try write(unsaid.map { [$0] }, from: fresh, to: &state, entity, readers)
            // Columns that the creation itself sets are written.
            let said = change.edits.map { change.projection.fields[$0.field].column }
            let rest = state.stamps.unsaid(in: entity.units[index]).filter { !said.contains($0) }
            state.stamps.setUnsaid(rest, in: entity.units[index])
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

    /// Splits the change's edits into winners and losers. The later stamp wins; if the stamps are equal, the values
    /// decide.
    ///
    /// Two kinds of merge units are left out: those that have parts (see `Parts`), and those with another merge policy
    /// than ‘the latest edit wins’.
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
    /// Returns true if default values win against the current values of a merge unit (attributes that win or lose
    /// together). The defaults come from another creation of the record, which has the same stamp.
    ///
    /// Large values that were not read from the database always stay: they count as greater than any default.
    fileprivate func isBeaten(
        by values: [Value], in unit: HubEntity.MergeUnit, of entity: HubEntity, _ readers: [Projection]
    ) -> Bool {
        if unit.columns.contains(where: { withheld & entity.largeBits[$0] != 0 }) { return false }
        let parts = unit.parts.flatMap(\.self)
        let others = unit.columns.filter { !parts.contains($0) }
        return ConflictMerge.winsTie(values, self.values, of: parts, before: others, readers)
    }
}
