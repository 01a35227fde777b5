import PGStore
import PlantedBugs
import WireFormats

/// The stage that replaces stamps from too far ahead of the server.
struct Clamping {
    /// Adds what stands for each stamp that is too far ahead, and remembers it, so that a retry gets the same one
    /// however late it comes.
    ///
    /// It is later than all that the records have and the push says: the device may have seen that, and believes its
    /// edit to be later. But what the device sent with a later stamp stays later, also where that came first.
    func clamp(_ context: inout PushContext, _ session: isolated Session) throws {
        let (push, spaces) = (context.push, context.store.spaces)
        let ahead = push.changes.filter {
            $0.stamp > push.latestAccepted && context.clamps[$0.stamp] == nil
                && context.outcome.verdicts[$0.index] == nil
        }
        if ahead.isEmpty || PlantedBug.clampRemoved.isPlanted { return }
        let seen =
            ahead.compactMap { context.work.state(of: $0.change.key)?.stamp }
            + push.changes.lazy.map(\.stamp).filter { $0 <= push.latestAccepted }
        let first = max(push.clampedTo.rawValue, (seen.max()?.rawValue ?? 0) + 1)
        let sent = Set(ahead.map(\.stamp)).sorted()
        // All of the device's, which are as many as the space may remember at most.
        let rows = try session.execute(
            spaces.recallingClamps(from: .never, through: .last, device: push.clampedDevice, in: push.space))
        let known = (0..<rows.count).map { (sent: rows.int($0, 0), given: rows.int($0, 1)) }
            .filter { Stamp(rawValue: $0.sent) != nil && Stamp(rawValue: $0.given) != nil }
        let given = ClampedOrder(PlantedBug.clampsUnordered.isPlanted ? [] : known).given(
            for: sent.map(\.rawValue), from: first
        ).map { min($0, Stamp.last.rawValue) }
        try session.pipeline(
            spaces.makingRoom(forClamps: sent.count, of: push.clampedDevice, in: push.space)
                + [spaces.clamping(sent.map(\.rawValue), to: given, device: push.clampedDevice, in: push.space)])
        for (stamp, given) in zip(sent, given) { context.clamps[stamp] = Stamp(unchecked: given) }
    }
}

/// What stands for stamps that were too far ahead when they first came.
struct Clamps: Sendable {
    private var given: [Stamp: Stamp]

    init(_ given: [Stamp: Stamp] = [:]) {
        self.given = given
    }

    /// What stands for a stamp as it was sent; `nil` where that counts itself.
    subscript(sent: Stamp) -> Stamp? {
        get { given[sent] }
        set { given[sent] = newValue }
    }

    /// The stamp that stands for a change's. Without one it is later than all that the record has: somebody may have
    /// read that, with a clock that is ahead, and have edited it.
    ///
    /// - Parameter sent: the change's own stamp, or the server's time.
    func stamp(of change: Change, sent: Stamp, on state: RecordState?) -> Stamp {
        if let given = given[sent] { return given }
        guard change.stamp == nil, let state, !PlantedBug.unstampedLoses.isPlanted else { return sent }
        return max(sent, min(.last, Stamp(unchecked: state.stamp.rawValue + 1)))
    }
}
