import WireFormats

extension Merge {
    /// Takes from an export what nobody has said, where its version reads that otherwise in the record.
    ///
    /// Then the record came of an export in another version, which knows less of it: a null that it reads as 0, or
    /// nothing at all. What the export's version reads as the export says it stays, for it may say more.
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
