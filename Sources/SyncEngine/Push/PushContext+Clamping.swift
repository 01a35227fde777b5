import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// The stage that replaces stamps that are too far ahead of the server's clock.
extension PushContext {
    /// Replaces each stamp that is too far ahead of the server's clock. The replacement is stored, so that a retry gets
    /// the same one, however late it arrives.
    ///
    /// The replacement is later than every stamp of the affected records and of the push, because the device may have
    /// seen those edits before it made its own. But an edit that the device sent with a later stamp stays later, even
    /// if it arrived first.
    mutating func clamp(_ session: isolated Session) throws {
        let spaces = store.spaces
        if PlantedBug.clampRemoved.isPlanted { return }
        let fast = push.changes.filter {
            $0.stamp > push.clampedTo && clamps[$0.stamp] == nil && outcome.verdicts[$0.index] == nil
        }
        let ahead = fast.filter { $0.stamp > push.latestAccepted }
        let doubtful = claim.mayHaveClamps ? fast.filter { isDoubtful($0) } : []
        if ahead.isEmpty, doubtful.isEmpty { return }
        // All pairs of the device. The limit of pairs per space bounds their number.
        let rows = try session.execute(
            spaces.recallingClamps(from: .never, through: .last, device: push.clampedDevice, in: push.space))
        let known = Spaces.Clamp.all(rows)
        let overtaken = doubtful.filter { isOvertaken($0, by: known) }
        let sent = Set((ahead + overtaken).map(\.stamp)).sorted()
        if sent.isEmpty { return }
        let seen =
            ahead.compactMap { work.state(of: $0.change.key)?.stamp }
            + push.changes.lazy.map(\.stamp).filter { $0 <= push.latestAccepted }
        // The first replacement leaves room for stamps that were sent in between.
        let first = max(push.clampedTo.rawValue, (seen.max()?.rawValue ?? 0) + ClampedOrder.step)
        let accepted = (ahead + overtaken).flatMap { work.state(of: $0.change.key)?.said ?? [] }
        let pairs = known.map { (sent: $0.sent.rawValue, given: $0.given.rawValue) }
        let order = ClampedOrder(PlantedBug.clampsUnordered.isPlanted ? [] : pairs, around: accepted.map(\.rawValue))
        let given = order.given(for: sent.map(\.rawValue), from: first).map { min($0, Stamp.last.rawValue) }
        try session.pipeline(
            spaces.makingRoom(forClamps: sent.count, of: push.clampedDevice, in: push.space)
                + [
                    spaces.clamping(
                        sent.map(\.rawValue), to: given, from: outcome.headBefore + 1,
                        device: push.clampedDevice, in: push.space)
                ])
        for (stamp, given) in zip(sent, given) { clamps[stamp] = Stamp(unchecked: given) }
    }

    /// Returns true if a stamp that is not too far ahead of the server's clock may have to be replaced nevertheless. A
    /// later edit of the same device may have got a replacement that is not later than this stamp, so that the earlier
    /// edit would win.
    ///
    /// Returns false if the device has read the latest change of the record, because such a device has corrected its
    /// clock.
    private func isDoubtful(_ sent: Push.Sent) -> Bool {
        guard sent.stamp <= push.latestAccepted, sent.change.stamp != nil,
            let slot = work.slot(of: sent.change.key), let before = work[slot].before
        else { return false }
        return !push.reading.holds(before)
    }

    /// Returns true if this stamp must be replaced, too, to keep the device's edits of the record in order.
    ///
    /// It must be if the device also sent a later edit, and the stamp of that edit was replaced by one that is not
    /// later than this stamp. Otherwise the earlier edit would win. The device does not know the replacement yet,
    /// because the two requests crossed.
    private func isOvertaken(_ sent: Push.Sent, by known: [Spaces.Clamp]) -> Bool {
        guard !PlantedBug.clampsUnordered.isPlanted, let state = work.state(of: sent.change.key) else {
            return false
        }
        let reading = push.reading
        return known.contains { later in
            later.sent > sent.stamp && later.given <= sent.stamp && state.said.contains(later.given)
                && !(later.seq.map(reading.reaches) ?? false)
        }
    }
}

extension RecordState {
    /// The created and deleted stamps of the record, and the stamps of its current values. `.never` is left out,
    /// because it stands for a value that no edit has set.
    fileprivate var said: [Stamp] { ([createdStamp, deletedStamp] + stamps.stamps).filter { $0 != .never } }
}
