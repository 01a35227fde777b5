import PlantedBugs
import WireFormats

/// Who must be told of a record after a push: worked out once, from what the pushing device has read, what it pushed,
/// and what became of that.
enum Audience {
    case nobody
    case everybody
    /// Everybody but the device that pushed: it has the record as it stands now.
    case others

    /// What it depends on besides the record.
    struct Rules {
        /// Whether the device says who it is, and the push is its own: a replay's outcome is news to it too.
        let knowsDevice: Bool
        let reading: Reading

        init(_ push: Push) {
            knowsDevice = push.device != nil && !push.quarantine.isReplay
            reading = push.reading
        }
    }

    init(of entry: WorkingSet.Entry, in entity: HubEntity, _ rules: Rules) {
        // A record is not copied for being looked at: this runs for each of a push.
        let doubts = entry.copy.doubts
        let hasRead = entry.before.map { rules.reading.holds($0) } ?? false
        let mustTellAgain: Bool
        if entry.isNew {
            mustTellAgain = false
        } else if doubts.contains(.believedAlive), rules.reading == .nothing {
            // It begins with this push, and heard nothing of the first: it must be told of a deletion from before.
            mustTellAgain = true
        } else if !hasRead {
            // Whatever it holds, it will be told what stands.
            mustTellAgain = false
        } else if !doubts.isDisjoint(with: [.migrated, .rounded, .lost, .believedAlive]) {
            mustTellAgain = true
        } else {
            // A retry puts what it says on top of what the device was told meanwhile.
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

    /// Whether the device has the record as it stands now: what it held before, and its edits.
    private static func isHeldByPusher(
        _ entry: WorkingSet.Entry, hasRead: Bool, in entity: HubEntity
    ) -> Bool {
        let doubts = entry.copy.doubts
        guard entry.copy.view != nil, doubts.isDisjoint(with: [.migrated, .rounded, .filledIn, .returning]) else {
            return false
        }
        // A record that it deleted it does not have, whatever it was; but one that it edited after that it may have.
        if !entry.state.isAlive { return !entry.state.isAliveItself && entry.copy.isDeleted }
        // Of two things that it said one lost, and it may hold either.
        if doubts.contains(.lost), !PlantedBug.lostUntold.isPlanted { return false }
        guard let before = entry.before else { return entry.copy.readsAsExpected(entry.state, in: entity) }
        // It was told that the record is gone, so an edit of a part does not make it whole.
        guard before.isAlive, hasRead || PlantedBug.staleHeld.isPlanted else { return false }
        return entry.copy.readsAsExpected(entry.state, in: entity)
            && !entry.copy.hasTurnedReference(from: before, to: entry.state, of: entity)
    }
}

/// The stage that gives every record which is news the next number, and says which the device holds so.
struct Numbering {
    func number(_ context: inout PushContext) {
        let rules = Audience.Rules(context.push)
        for place in context.work.indices {
            let entry = context.work[place]
            let audience = Audience(of: entry, in: context.entity(of: entry.key), rules)
            if audience == .nobody { continue }
            context.outcome.head += 1
            entry.state.seq = context.outcome.head
            entry.state.pusher = audience == .others ? context.push.device : nil
            if audience == .everybody { context.outcome.needsNoEcho = false }
        }
    }
}
