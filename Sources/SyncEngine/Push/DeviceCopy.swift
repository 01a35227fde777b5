import WireFormats

/// What the pushing device holds of one record once its push is answered, as far as the push tells.
struct DeviceCopy {
    /// In which version it holds it; `nil` where the push does not say.
    private(set) var view: Projection?
    /// By field of `view`, where that is known. Empty before the first of its changes.
    private(set) var expected: [Value?] = []
    /// Instead of `expected`: the device holds in every field what the record does, because it has said all of it.
    private(set) var isAsSaid = false
    /// True where the last that it said of the record is that it is gone, so that it has none, whatever it said before.
    private(set) var isDeleted = false
    var doubts: Doubts = []

    /// Why it may hold something else than the record is now.
    struct Doubts: OptionSet {
        let rawValue: UInt8
        /// Of a change in another version than the request's, what its store holds is the app's migration's; and a
        /// retry may have been passed over as its own.
        static let migrated = Doubts(rawValue: 1)
        /// A value was finer than what is kept of it.
        static let rounded = Doubts(rawValue: 2)
        /// It has filled in what it did not send, which may not be what is there.
        static let filledIn = Doubts(rawValue: 4)
        /// A change lost against something that the device may hold, because its clock is behind, or that it said
        /// itself: it may have its edit, or what was there before, and would never hear of what stands.
        static let lost = Doubts(rawValue: 8)
        /// It has sent again what it edited of a record that is dead.
        static let believedAlive = Doubts(rawValue: 16)
        /// It comes back with what the push creates, and the device has not named it.
        static let returning = Doubts(rawValue: 32)
    }

    /// Notes what a change says that the device holds now.
    ///
    /// - Parameters:
    ///   - isNew: whether the change made the record.
    ///   - wasDead: whether the record was ever deleted.
    mutating func note(_ change: Change, isNew: Bool, wasDead: Bool, in entity: HubEntity) {
        // A replay has changes of several devices, each in the version of its own.
        guard change.isInRequestVersion, view == nil || view === change.projection else {
            doubts.insert(.migrated)
            return
        }
        view = change.projection
        isDeleted = change.operation == .delete
        if change.isRounded { doubts.insert(.rounded) }
        if change.operation == .create, !isNew || wasDead {
            // An earlier life may have left something else in what the device did not send.
            doubts.insert(.filledIn)
        } else if change.operation == .create {
            if change.saysAllAsKept(in: entity) {
                isAsSaid = true
                return
            }
            expected = change.projection.assumed(change.edits)
            if expected.contains(where: { $0 == nil }) { doubts.insert(.filledIn) }
            if change.counts.isEmpty { return }
        } else if change.operation == .update, isNew {
            doubts.insert(.filledIn)
        }
        if expected.isEmpty { expected = Array(repeating: nil, count: change.projection.fields.count) }
        for edit in change.edits { expected[edit.field] = edit.value }
        for count in change.counts {
            expected[count.field] =
                switch count.amount {
                case .total(let amount), .beginning(let amount): .int(amount)
                // A device that had read what was there before holds the sum as the server does.
                case .increment: nil
                }
        }
    }

    /// Writes out what the device holds by `isAsSaid`, before the record becomes something else.
    mutating func spellOut(_ state: RecordState) {
        guard isAsSaid, let view else { return }
        expected = view.fields.map { state.values[$0.column] }
        isAsSaid = false
    }

    /// Whether the device reads what it said. It does not where a reference leads to nothing.
    func readsAsExpected(_ state: RecordState, in entity: HubEntity) -> Bool {
        guard let view else { return true }
        if isAsSaid {
            if state.dangling == 0 { return true }
            return view.fields.allSatisfy { state.visible($0, in: entity) == state.values[$0.column] }
        }
        for (place, value) in expected.enumerated() {
            guard let value else { continue }
            // What was not read is larger than any default, and no edit concerned it.
            if state.withheld & entity.largeBits[view.fields[place].column] != 0 { return false }
            if state.visible(view.fields[place], in: entity) != value { return false }
        }
        return true
    }

    /// Whether a reference that the device did not write reads otherwise than before, because its target came or went
    /// with the same push.
    func hasTurnedReference(from before: RecordState, to state: RecordState, of entity: HubEntity) -> Bool {
        guard let view else { return false }
        let turned = before.dangling ^ state.dangling
        return entity.references.enumerated().contains { bit, reference in
            turned >> UInt64(bit) & 1 == 1
                && view.fields.indices.contains {
                    view.fields[$0].column == reference.column && !($0 < expected.count && expected[$0] != nil)
                }
        }
    }
}
