import WireFormats

/// The pushing device's copy of one record after its push is answered, as far as the push reveals it.
struct DeviceCopy {
    /// The entity as the device's version sees it; `nil` if the push does not show in which version the device has the
    /// record.
    private(set) var view: Projection?
    /// The values that the device has, by index of the field in `view`; `nil` for a value that is not known. Empty
    /// before the record's first change.
    private(set) var expected: [Value?] = []
    /// True if the device has the stored value in every field, because it sent a value for all of them. `expected` is
    /// then empty.
    private(set) var isAsSaid = false
    /// True if the device's last change of the record is a deletion, so that it has no copy, whatever it sent before.
    private(set) var isDeleted = false
    var doubts: Doubts = []

    /// The reasons why the device's copy may differ from the stored record.
    struct Doubts: OptionSet {
        let rawValue: UInt8
        /// The change was written in another version than the request's, so the app may have been updated since. The
        /// app's own migration may then have altered the record in the device's store.
        ///
        /// If the change is a retry, the device may also have pulled since it first sent the change. That pull may have
        /// left out the record, because the device itself had pushed it.
        static let migrated = Doubts(rawValue: 1)
        /// A value had more precision than the server keeps.
        static let rounded = Doubts(rawValue: 2)
        /// The device filled in attributes that it did not send, perhaps with other values than the stored ones.
        static let filledIn = Doubts(rawValue: 4)
        /// A change of the device lost against an edit that the device may have already, so that a pull would not send
        /// it. Either the device's clock is behind, or the winning edit is its own. The device may still show the value
        /// that lost.
        static let lost = Doubts(rawValue: 8)
        /// The device sent its edit of a deleted record again, so it may not know of the deletion.
        static let believedAlive = Doubts(rawValue: 16)
        /// The push does not name the record. It was loaded because it may be restored together with a record that the
        /// push creates again.
        static let returning = Doubts(rawValue: 32)
    }

    /// Updates the copy with a change that the device sent.
    ///
    /// - Parameters:
    ///   - isNew: true if the change created the record on the server.
    ///   - wasDead: true if the record was deleted at any time before.
    mutating func note(_ change: Change, isNew: Bool, wasDead: Bool, in entity: HubEntity) {
        // A replay has changes of several devices, each in its own version.
        guard change.isInRequestVersion, view == nil || view === change.projection else {
            doubts.insert(.migrated)
            return
        }
        view = change.projection
        isDeleted = change.operation == .delete
        if change.isRounded { doubts.insert(.rounded) }
        if change.operation == .create, !isNew || wasDead {
            // Attributes that the device did not send may hold other values from before this creation.
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
                // A device that has read the previous amount holds the same sum as the server.
                case .increment: nil
                }
        }
    }

    /// Copies the stored record's values to `expected`, if `isAsSaid` is true, and then sets `isAsSaid` to false. It is
    /// called before another change is merged into the record, because merging may alter the stored values.
    mutating func spellOut(_ state: RecordState) {
        guard isAsSaid, let view else { return }
        expected = view.fields.map { state.values[$0.column] }
        isAsSaid = false
    }

    /// Returns true if the device, reading the record, would read the values that it sent. It would not if a reference
    /// that it set has no living target, because such a reference reads as null.
    func readsAsExpected(_ state: RecordState, in entity: HubEntity) -> Bool {
        guard let view else { return true }
        if isAsSaid {
            if state.dangling == 0 { return true }
            return view.fields.allSatisfy { state.visible($0, in: entity) == state.values[$0.column] }
        }
        for (index, value) in expected.enumerated() {
            guard let value else { continue }
            // A value that was withheld is larger than any default, and no edit concerned it.
            if state.withheld & entity.largeBits[view.fields[index].column] != 0 { return false }
            if state.visible(view.fields[index], in: entity) != value { return false }
        }
        return true
    }

    /// Returns true if a reference that the device did not set now reads differently, because the same push created,
    /// restored or deleted its target.
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
