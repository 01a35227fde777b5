import PlantedBugs
import WireFormats

extension Merge {
    /// A change's edits of a unit with parts: of the whole, or of some of the parts; see docs/architecture.md, *Parts*.
    ///
    /// An edit of the whole is one of each part, of what it converts to. So the later edit stands for each part by
    /// itself, in whatever order they arrive, and what is not contradicted is not lost.
    struct Parts {
        private let unit: Int
        private let change: Change
        private let entity: HubEntity
        private let edits: [FieldEdit]
        /// Those of the parts that the edits are of, as places in `MergeUnit.parts`; all of them, of an edit of the
        /// whole.
        fileprivate let named: [Int]
        private let isWhole: Bool

        /// `nil` where the change does not edit the unit.
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
        /// Whether the edits leave nothing of the unit unsaid, so that they are decided as one.
        private var saysAll: Bool { named.count == parts.count }

        /// The stamps of a record that the change makes.
        func start(_ state: inout RecordState, at stamp: Stamp) {
            if saysAll { return }
            let stamps = parts.indices.map { named.contains($0) ? stamp : .never }
            state.stamps.setParts(of: unit, to: stamps, in: entity)
        }

        struct Outcome {
            var winners: [FieldEdit] = []
            var losers: [FieldEdit] = []
            /// Whether an edit of the whole stands in some of the parts; it is then among the losers, where its
            /// version reads something else.
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
                // By the parts first, as single parts are, so that it is not undone by a part that arrives again.
                let columns = parts.flatMap(\.self)
                let others = entity.units[unit].columns.filter { !columns.contains($0) }
                won = winsTie(candidate, state.values, of: columns, before: others, readers) ? named : []
            } else {
                // Equal edits of all parts were decided while all of both was there. What a later edit of another part
                // has left of them cannot decide it again.
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
                try Merge.write(winners, but: ties, of: change, to: &state, entity, read: read)
                return Outcome(winners: winners, losers: edits.filter { !winners.contains($0) })
            }
            let isRepeated =
                !PlantedBug.echoWrittenBack.isPlanted
                && edits.allSatisfy { [change, entity] edit in
                    isRepetition(edit, in: change.projection.fields[edit.field], of: state, entity, read: read)
                }
            // The latest word on these parts, of which nothing is to be written.
            if isRepeated { return Outcome(winners: edits, isPartial: true) }
            // What the edit says of each part, whatever stands there now.
            var said = state.values
            try change.projection.write(edits, into: &said)
            // Where a part says so already, with this stamp, nothing is to be written of which the whole would follow.
            let news = won.filter { part in
                stamps[part] < stamp || parts[part].contains { candidate[$0] != state.values[$0] }
            }
            if !news.isEmpty { try Merge.write(news.map { parts[$0] }, from: said, to: &state, entity, readers) }
            // Where its version reads what it says all the same, nothing else is kept.
            let heard = edits.filter { [entity] edit in
                state.visible(change.projection.fields[edit.field], in: entity) == edit.value
            }
            return Outcome(winners: heard, losers: edits.filter { !heard.contains($0) }, isPartial: true)
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

    /// The columns of the parts of a unit that nobody has written, and `parts` do not.
    static func unsaid(
        in state: RecordState, unit: Int, of entity: HubEntity, but parts: Parts?
    ) -> [[Int]] {
        let stamps = state.stamps.parts(of: unit, in: entity)
        return stamps.indices.filter { stamps[$0] == .never && parts?.named.contains($0) != true }
            .map { entity.units[unit].parts[$0] }
    }

    /// Writes what `row` holds in some parts of a unit, as a version that has all of them would.
    static func write(
        _ parts: [[Int]], from row: [Value], to state: inout RecordState, _ entity: HubEntity, _ readers: [Projection]
    ) throws(LensFailure) {
        let writer = readers.first { reader in
            parts.allSatisfy { part in reader.fields.contains { part.contains($0.column) } }
        }
        // Some version has the parts, or nothing would link them.
        guard let writer else { return }
        let edits = writer.fields.enumerated().filter { place, field in parts.contains { $0.contains(field.column) } }
            .map { place, field in FieldEdit(field: place, value: field.view(row[field.column])) }
        try writer.write(edits, into: &state.values)
    }
}
