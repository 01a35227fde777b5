import WireFormats

extension ConflictMerge {
    /// Corrects attributes that nobody has written: writes the values of an export to them, if the export's version
    /// reads other values there.
    ///
    /// The values differ if the record was created by an export in another version that knows fewer attributes of it.
    /// Then the stored value is a default, or a null that the export's version reads as 0. A stored value that the
    /// export's version already reads as the export's value stays, because it may have more detail.
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
