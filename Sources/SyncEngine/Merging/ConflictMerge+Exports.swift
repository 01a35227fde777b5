import WireFormats

extension ConflictMerge {
    /// Writes an export's values to attributes that nobody has written, if the export's version reads other values
    /// there.
    ///
    /// In that case the record came from an export in another version, which knows less of it: a null that the version
    /// reads as 0, or nothing at all. A stored value that the version reads as the export's value stays, because the
    /// stored value may hold more.
    static func correctUnsaid(
        _ unsaid: FieldEdits, of change: Change, _ state: inout RecordState, in entity: HubEntity
    ) throws(LensFailure) {
        let others = unsaid.filter { edit in
            let field = change.projection.fields[edit.field]
            return state.stamps.stamp(of: field.column, unit: field.unit, in: entity) == .never
                && state.withheld & entity.largeBits[field.column] == 0
                && field.view(state.values[field.column]) != edit.value
        }
        if others.isEmpty { return }
        try write(others, but: [], of: change, to: &state, entity, read: nil)
    }
}
