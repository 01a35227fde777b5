import WireFormats

extension ConflictMerge {
    /// Writes the values that an export lists for attributes which no change has ever set, if the record's values read
    /// differently in the export's version.
    ///
    /// They do if the record was created by an export in another version, which has fewer attributes. The stored value
    /// is then a default, or a null that the export's version reads as 0. A stored value that already reads as the
    /// export's value stays, because it may have more detail.
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
