import WireFormats

/// Rules for attributes that no change has set yet, in records of which other attributes were set. They concern merge
/// units whose columns are edited together, and deleted records that are created again.
extension ConflictMerge {
    /// Stores which columns of a merge unit (attributes that win or lose together) no change has set yet. These columns
    /// keep the defaults of the latest creation.
    ///
    /// - Parameters:
    ///   - edits: the change's edits that won.
    ///   - isFirst: true if no change has set any column of the unit before.
    static func noteSaid(
        _ index: Int, by edits: some Sequence<FieldEdit>, of change: Change, _ isFirst: Bool,
        _ state: inout RecordState, _ entity: HubEntity
    ) {
        let (unit, fields) = (entity.units[index], change.projection.fields)
        let said = edits.filter { fields[$0.field].unit == index }.map { fields[$0.field].column }
        if said.isEmpty { return }
        let own = fields.filter { $0.unit == index }.map(\.column)
        let unsaid = isFirst ? own : state.stamps.unsaid(in: unit)
        // The values that another version reads there follow from the columns that are written now.
        let rest = unsaid.allSatisfy(own.contains) ? unsaid.filter { !said.contains($0) } : []
        state.stamps.setUnsaid(rest, in: unit)
    }

    /// Starts a deleted record afresh, because a device that knew of the deletion creates the record again.
    ///
    /// Edits up to the deletion's stamp are discarded, and later edits stay. Required attributes that the creation does
    /// not set keep their values.
    ///
    /// Other edits from before the deletion may still arrive. They lose, because the discarded attributes get the stamp
    /// directly after the deletion's.
    static func restart(
        _ state: inout RecordState, as change: Change, at stamp: Stamp, in entity: HubEntity, _ readers: [Projection]
    ) throws(LensFailure) {
        let fresh = try change.projection.create(change.beginnings, id: change.id, createdAt: stamp.timestamp)
        let decided = state.deletedStamp.next
        let before = state.dangling == 0 ? [] : state.values
        defer { if !before.isEmpty { state.showReferences(since: before, in: entity) } }
        let missing = change.projection.fields.enumerated().filter { index, field in
            !field.isOmissible && !change.edits.contains { $0.field == index }
        }.map { $0.element.unit }
        for (index, unit) in entity.units.enumerated() where !missing.contains(index) {
            if state.stamps[index] > state.deletedStamp {
                if unit.parts.isEmpty { continue }
                let stamps = state.stamps.parts(of: index, in: entity)
                let old = stamps.indices.filter { stamps[$0] <= state.deletedStamp }
                if old.isEmpty { continue }
                try write(old.map { unit.parts[$0] }, from: fresh, to: &state, entity, readers)
                state.stamps.setParts(of: index, to: stamps.map { $0 == .never ? $0 : max($0, decided) }, in: entity)
                continue
            }
            for column in unit.columns {
                state.values[column] = fresh[column]
                state.withheld &= ~entity.largeBits[column]
            }
            // An attribute that nobody has written may belong to a version that was added since, and nobody has decided
            // it.
            if state.stamps[index] == .never { continue }
            if unit.rule == .latest {
                if unit.parts.isEmpty {
                    state.stamps.setAll(of: index, to: decided, in: entity)
                } else {
                    let stamps = state.stamps.parts(of: index, in: entity)
                    state.stamps.setParts(of: index, to: stamps.map { $0 == .never ? $0 : decided }, in: entity)
                }
                if !state.stamps.unsaid(in: unit).isEmpty { state.stamps.setUnsaid([], in: unit) }
            } else {
                state.stamps.noteFloor(state.deletedStamp, of: index, in: entity)
                state.stamps[index] = .never
            }
        }
    }
}
