import PlantedBugs
import WireFormats

/// The devices that must receive a record after a push. Computed once per record, from what the pushing device has
/// read, what it pushed, and the result of the merge.
enum Audience {
    case nobody
    case everybody
    /// Every device but the one that pushed, because that device already has the record as it is stored now.
    case others

    /// The facts about a push by which the audience of each of its records is decided.
    struct Rules {
        /// True if the push comes from a device that stated its id. False for a replay from quarantine, because its
        /// outcome is new even to the device that sent the changes.
        let knowsDevice: Bool
        let reading: ReadProgress

        init(_ push: Push) {
            knowsDevice = push.device != nil && !push.quarantine.isReplay
            reading = push.reading
        }
    }

    init(of entry: WorkingSet.Entry, in entity: HubEntity, _ rules: Rules) {
        // This runs for each record of a push, so it must not copy the record.
        let doubts = entry.copy.doubts
        let hasRead = entry.before.map { rules.reading.holds($0) } ?? false
        let mustTellAgain: Bool
        if entry.isNew {
            mustTellAgain = false
        } else if doubts.contains(.believedAlive), rules.reading == .nothing {
            // The request has no usable cursor: the device starts anew and never received the answer to the first
            // attempt of this push. It must receive a deletion from before this push.
            mustTellAgain = true
        } else if !hasRead {
            // The device has not read the record's current number, so a pull will send it the stored record in any
            // case.
            mustTellAgain = false
        } else if !doubts.isDisjoint(with: [.migrated, .rounded, .lost, .believedAlive]) {
            mustTellAgain = true
        } else {
            // A retry writes its edits over what the device received in the meantime.
            mustTellAgain = !entry.isNews && entry.state.isAlive && !entry.copy.readsAsExpected(entry.state, in: entity)
        }
        if !mustTellAgain, !entry.isNews {
            self = .nobody
        } else if mustTellAgain || !rules.knowsDevice
            || !Audience.isHeldByPusher(entry, hasRead: hasRead, in: entity)
        {
            self = .everybody
        } else {
            self = .others
        }
    }

    /// Returns true if the device's copy equals the record as it is stored now. The copy is computed from the record
    /// that the device had read and from the edits that the device sent.
    private static func isHeldByPusher(
        _ entry: WorkingSet.Entry, hasRead: Bool, in entity: HubEntity
    ) -> Bool {
        let doubts = entry.copy.doubts
        guard entry.copy.view != nil, doubts.isDisjoint(with: [.migrated, .rounded, .filledIn, .returning]) else {
            return false
        }
        // The device does not have a record that it deleted, whatever the record was. It may have one that it edited
        // after the deletion.
        if !entry.state.isAlive { return !entry.state.isAliveItself && entry.copy.isDeleted }
        // One of two edits by this device lost against the other, and the device may hold either value.
        if doubts.contains(.lost), !PlantedBug.lostUntold.isPlanted { return false }
        guard let before = entry.before else { return entry.copy.readsAsExpected(entry.state, in: entity) }
        // The device was sent a deletion of the record, so an edit of one attribute does not give it the whole record.
        guard before.isAlive, hasRead || PlantedBug.staleHeld.isPlanted else { return false }
        return entry.copy.readsAsExpected(entry.state, in: entity)
            && !entry.copy.hasTurnedReference(from: before, to: entry.state, of: entity)
    }
}
