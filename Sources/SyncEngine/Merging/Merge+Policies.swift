import WireFormats

/// Attributes of which not simply the later edit stands. What they end with depends on the set of all edits, not on
/// their order, and neither does their stamp, which is the latest of those written.
extension Merge {
    /// What an edit came to.
    enum JoinOutcome {
        /// The record holds what it says.
        case won
        /// It holds that and more.
        case joined
        /// It holds something that goes before it.
        case lost
    }

    /// Merges an edit as its unit's rule has it.
    static func join(
        _ edit: FieldEdit, of change: Change, at stamp: Stamp, into state: inout RecordState, in entity: HubEntity,
        _ readers: [Projection], read: RecordState?
    ) throws(LensFailure) -> JoinOutcome {
        let field = change.projection.fields[edit.field]
        let unit = entity.units[field.unit]
        let floor = state.stamps.floor(of: field.unit, in: entity)
        if stamp <= floor { return state.visible(field, in: entity) == edit.value ? .won : .lost }
        // A default is nothing that anyone wrote, and the first edit need not be better than it.
        let isFirst = state.stamps[field.unit] == .never
        state.stamps.noteFloor(floor, of: field.unit, in: entity)
        state.stamps[field.unit] = max(state.stamps[field.unit], stamp)
        // A repetition: what its version read there may be a poorer form of what stands.
        if isRepetition(edit, in: field, of: state, entity, read: read) { return .won }
        // All forms of the value as this edit by itself makes them, whatever stands: or the order would matter.
        let fresh = try change.projection.create(
            [edit], id: change.id, createdAt: stamp.timestamp)
        switch unit.rule {
        case .greatest, .least:
            guard isFirst || isBetter(fresh, than: state.values, for: unit, readers) else {
                // What stands says it, and perhaps more.
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

    /// Null loses against anything. What decides is compared as equal stamps are: as all versions leave it that write
    /// back what they read (rounded, a value may be greater than what it was); then by what says more; then as it is.
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
        return goesFirst(told(candidate, columns, readers), before: told(current, columns, readers))
            ?? isRicher(candidate, than: current, columns, readers)
            ?? goesFirst(candidate, before: current) ?? winsTie(candidate, current, of: columns, readers)
    }

    /// The arrays of a record's first change, as a union has them.
    static func startUnions(_ change: Change, _ state: inout RecordState, in entity: HubEntity) {
        if entity.keepsLatestOnly { return }
        for edit in change.edits {
            guard case .union(let column, let union) = entity.units[change.projection.fields[edit.field].unit].rule
            else { continue }
            state.values[column] = union.joined(.null, state.values[column])
        }
    }
}
