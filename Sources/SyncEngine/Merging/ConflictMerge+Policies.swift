import WireFormats

/// Merge policies other than ‘the latest edit wins’. The merged value depends on the set of all edits, not on their
/// order. The same is true of the value's stamp, which is the latest stamp of all edits.
extension ConflictMerge {
    /// The result of merging one edit.
    enum JoinOutcome {
        /// The record has the edit's value now.
        case won
        /// The edit's value was combined with the values of other edits, as in a union of arrays.
        case joined
        /// The record keeps another value, because that value takes precedence over the edit's.
        case lost
    }

    /// Merges an edit of an attribute by the merge policy that the plan declares for it.
    ///
    /// - Parameter read: the record as the change's device has read it; `nil` if the device has not read it.
    static func join(
        _ edit: FieldEdit, of change: Change, at stamp: Stamp, into state: inout RecordState, in entity: HubEntity,
        _ readers: [Projection], read: RecordState?
    ) throws(LensFailure) -> JoinOutcome {
        let field = change.projection.fields[edit.field]
        let unit = entity.units[field.unit]
        let floor = state.stamps.floor(of: field.unit, in: entity)
        if stamp <= floor { return state.visible(field, in: entity) == edit.value ? .won : .lost }
        // Nobody wrote a default, so the first edit need not be better than it.
        let isFirst = state.stamps[field.unit] == .never
        state.stamps.noteFloor(floor, of: field.unit, in: entity)
        state.stamps[field.unit] = max(state.stamps[field.unit], stamp)
        // A repetition: the value that the version read may be a poorer form of the stored value.
        if isRepetition(edit, in: field, of: state, entity, read: read) { return .won }
        // All forms of the value that this edit makes by itself, independent of the stored values: otherwise the order
        // of edits would matter.
        let fresh = try change.projection.create(
            [edit], id: change.id, createdAt: stamp.timestamp)
        switch unit.rule {
        case .greatest, .least:
            guard isFirst || isBetter(fresh, than: state.values, for: unit, readers) else {
                // The stored value contains the edit's value, and perhaps more.
                return field.view(state.values[field.column]) == edit.value ? .won : .lost
            }
            for column in unit.columns { state.values[column] = fresh[column] }
            return .won
        case .union(let column, let union):
            state.values[column] = union.joined(isFirst ? .null : state.values[column], fresh[column])
            return field.view(state.values[column]) == edit.value ? .won : .joined
        case .latest, .sum:
            return .won
        }
    }

    /// Returns true if the candidate wins in a merge unit that keeps the greatest, or the least, value of a column.
    /// Null loses against any value.
    ///
    /// The values are compared in up to three steps, like edits with equal stamps. First each is compared in the form
    /// that is left after every version has read it and written it back, because a rounded value may be greater than
    /// its original. If these forms are equal, the more detailed value wins. If both are equally detailed, the values
    /// are compared unchanged.
    private static func isBetter(
        _ candidate: [Value], than current: [Value], for unit: HubEntity.MergeUnit, _ readers: [Projection]
    ) -> Bool {
        let (column, isGreatest): (Int, Bool)
        switch unit.rule {
        case .greatest(let decisive): (column, isGreatest) = (decisive, true)
        case .least(let decisive): (column, isGreatest) = (decisive, false)
        case .latest, .union, .sum: return true
        }
        func goesFirst(_ new: [Value], before old: [Value]) -> Bool? {
            let (old, new) = (old[column], new[column])
            if old == new { return nil }
            if old.isNull || new.isNull { return old.isNull }
            return isGreatest ? old.precedes(new) : new.precedes(old)
        }
        if current[column].isNull != candidate[column].isNull { return current[column].isNull }
        let columns = unit.columns
        return goesFirst(rewritten(candidate, columns, readers), before: rewritten(current, columns, readers))
            ?? isRicher(candidate, than: current, columns, readers)
            ?? goesFirst(candidate, before: current) ?? winsTie(candidate, current, of: columns, readers)
    }

    /// Converts arrays that are merged as unions to their stored form, in which the elements are sorted by value.
    /// `change` is the creation of the record.
    static func startUnions(_ change: Change, _ state: inout RecordState, in entity: HubEntity) {
        if entity.keepsLatestOnly { return }
        for edit in change.edits {
            guard case .union(let column, let union) = entity.units[change.projection.fields[edit.field].unit].rule
            else { continue }
            state.values[column] = union.joined(.null, state.values[column])
        }
    }
}
