import PlantedBugs
import WireFormats

extension ConflictMerge {
    /// The edits that one change makes in a merge unit with parts. In such a unit, a migration stage links one
    /// attribute (the whole) with several others (its parts). The change edits the whole, or some of the parts. See
    /// docs/internals/rows.md, *Parts*.
    ///
    /// An edit of the whole is converted to the parts, and counts as an edit of each of them. In each part the latest
    /// edit wins, in whatever order the edits arrive. So an edit is lost only where a later edit sets the same part.
    struct Parts {
        private let unit: Int
        private let change: Change
        private let entity: HubEntity
        private let edits: [FieldEdit]
        /// The parts of the merge unit that the change edits, as indices in `MergeUnit.parts`. An edit of the whole
        /// unit edits all parts.
        fileprivate let named: [Int]
        private let isWhole: Bool

        /// Collects the change's edits of a unit; `nil` if the change does not edit the unit.
        init?(_ unit: Int, of change: Change, in entity: HubEntity) {
            let projection = change.projection
            let edits = change.edits.filter { projection.fields[$0.field].unit == unit }
            if edits.isEmpty { return nil }
            let parts = edits.map { entity.units[unit].part(of: projection.fields[$0.field].column) }
            isWhole = parts.contains(nil)
            named = isWhole ? Array(entity.units[unit].parts.indices) : parts.compactMap(\.self)
            (self.unit, self.change, self.entity, self.edits) = (unit, change, entity, edits)
        }

        private var parts: [[Int]] { entity.units[unit].parts }
        /// True if the edits concern every part of the unit, so that one decision is made for all parts together.
        private var saysAll: Bool { named.count == parts.count }

        /// Sets the stamps of a unit with parts, in a record that the change creates. The parts that the change edits
        /// get `stamp`. The other parts count as never written.
        func start(_ state: inout RecordState, at stamp: Stamp) {
            if saysAll { return }
            let stamps = parts.indices.map { named.contains($0) ? stamp : .never }
            state.stamps.setParts(of: unit, to: stamps, in: entity)
        }

        struct Outcome {
            var winners: [FieldEdit] = []
            var losers: [FieldEdit] = []
            /// True if an edit of the whole attribute won in some of its parts and lost in others. It then counts as a
            /// loser, too, unless the sender's version now reads the value that the edit wrote.
            var isPartial = false
        }

        func merge(
            at stamp: Stamp, into state: inout RecordState, readers: [Projection], read: RecordState?
        ) throws(LensFailure) -> Outcome {
            var candidate = state.values
            try change.projection.put(edits, into: &candidate)
            let stamps = state.stamps.parts(of: unit, in: entity)
            let won: [Int]
            if saysAll, state.stamps.isOne(unit, in: entity), stamps.first == stamp {
                // Compares the parts first, as single parts are compared, so that a part which arrives again does not
                // undo the result.
                let columns = parts.flatMap(\.self)
                let others = entity.units[unit].columns.filter { !columns.contains($0) }
                won = winsTie(candidate, state.values, of: columns, before: others, readers) ? named : []
            } else {
                // Equal edits of all parts were decided while all parts of both were there. The parts that a later edit
                // of another part left cannot decide them again.
                let isDecided = saysAll && stamps.contains { $0 > stamp }
                won = named.filter { part in
                    if stamps[part] != stamp { return stamp > stamps[part] }
                    if isDecided { return parts[part].allSatisfy { candidate[$0] == state.values[$0] } }
                    return winsTie(candidate, state.values, of: parts[part], readers)
                }
            }
            if won.isEmpty { return Outcome(losers: edits) }
            defer { note(won, at: stamp, &state) }
            guard isWhole, won.count < parts.count else {
                let winners = edits.filter { isWhole || won.contains(part(of: $0)) }
                let ties = winners.filter { edit in
                    won.contains { stamps[$0] == stamp && (isWhole || $0 == part(of: edit)) }
                }
                try ConflictMerge.write(winners, but: ties, of: change, to: &state, entity, read: read)
                return Outcome(winners: winners, losers: edits.filter { !winners.contains($0) })
            }
            let isRepeated =
                !PlantedBug.echoWrittenBack.isPlanted
                && edits.allSatisfy { [change, entity] edit in
                    isRepetition(edit, in: change.projection.fields[edit.field], of: state, entity, read: read)
                }
            // The edit is the latest for these parts, and there is nothing to write.
            if isRepeated { return Outcome(winners: edits, isPartial: true) }
            // The value that the edit gives to each part, whatever is stored there now.
            var said = state.values
            try change.projection.write(edits, into: &said)
            // A part that has the same value with this stamp already is not written, because the whole would follow
            // from it.
            let news = won.filter { part in
                stamps[part] < stamp || parts[part].contains { candidate[$0] != state.values[$0] }
            }
            if !news.isEmpty {
                try ConflictMerge.write(news.map { parts[$0] }, from: said, to: &state, entity, readers)
            }
            // An edit whose value the version reads all the same does not count as a loser.
            let winners = edits.filter { [entity] edit in
                state.visible(change.projection.fields[edit.field], in: entity) == edit.value
            }
            return Outcome(winners: winners, losers: edits.filter { !winners.contains($0) }, isPartial: true)
        }

        private func part(of edit: FieldEdit) -> Int {
            entity.units[unit].part(of: change.projection.fields[edit.field].column) ?? 0
        }

        private func note(_ won: [Int], at stamp: Stamp, _ state: inout RecordState) {
            if PlantedBug.lostStamp.isPlanted { return }
            if won.count == parts.count || PlantedBug.partsShareStamp.isPlanted {
                state.stamps.setAll(of: unit, to: stamp, in: entity)
            } else {
                var stamps = state.stamps.parts(of: unit, in: entity)
                for part in won { stamps[part] = stamp }
                state.stamps.setParts(of: unit, to: stamps, in: entity)
            }
        }
    }

    /// Returns the parts of a merge unit that no earlier change has set, and that the current change does not set
    /// either. Each part is a list of its columns.
    ///
    /// - Parameter parts: the current change's edits of the unit; `nil` if it has none.
    static func unsaid(
        in state: RecordState, unit: Int, of entity: HubEntity, but parts: Parts?
    ) -> [[Int]] {
        let stamps = state.stamps.parts(of: unit, in: entity)
        return stamps.indices.filter { stamps[$0] == .never && parts?.named.contains($0) != true }
            .map { entity.units[unit].parts[$0] }
    }

    /// Writes the values of `row` to some parts of a merge unit. They are converted like an edit in a version that has
    /// all of these parts.
    ///
    /// - Parameter parts: the columns of each part.
    static func write(
        _ parts: [[Int]], from row: [Value], to state: inout RecordState, _ entity: HubEntity, _ readers: [Projection]
    ) throws(LensFailure) {
        let writer = readers.first { reader in
            parts.allSatisfy { part in reader.fields.contains { part.contains($0.column) } }
        }
        // A version with all the parts exists, or nothing would link them.
        guard let writer else { return }
        let edits = writer.fields.enumerated().filter { index, field in parts.contains { $0.contains(field.column) } }
            .map { index, field in FieldEdit(field: index, value: field.view(row[field.column])) }
        try writer.write(edits, into: &state.values)
    }
}
