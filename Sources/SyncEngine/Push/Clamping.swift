import PGStore
import PlantedBugs
import Postgres
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
        if PlantedBug.clampRemoved.isPlanted { return }
        let fast = push.changes.filter {
            $0.stamp > push.clampedTo && context.clamps[$0.stamp] == nil && context.outcome.verdicts[$0.index] == nil
        }
        let ahead = fast.filter { $0.stamp > push.latestAccepted }
        let doubtful = context.claim.mayHaveClamps ? fast.filter { isDoubtful($0, in: context) } : []
        if ahead.isEmpty, doubtful.isEmpty { return }
        // All of the device's, which are as many as the space may remember at most.
        let rows = try session.execute(
            spaces.recallingClamps(from: .never, through: .last, device: push.clampedDevice, in: push.space))
        let known = Spaces.Clamp.all(rows)
        let overtaken = doubtful.filter { isOvertaken($0, by: known, in: context) }
        let sent = Set((ahead + overtaken).map(\.stamp)).sorted()
        if sent.isEmpty { return }
        let seen =
            ahead.compactMap { context.work.state(of: $0.change.key)?.stamp }
            + push.changes.lazy.map(\.stamp).filter { $0 <= push.latestAccepted }
        // With room for what was sent in between.
        let first = max(push.clampedTo.rawValue, (seen.max()?.rawValue ?? 0) + ClampedOrder.step)
        let standing = (ahead + overtaken).flatMap { context.work.state(of: $0.change.key)?.said ?? [] }
        let pairs = known.map { (sent: $0.sent.rawValue, given: $0.given.rawValue) }
        let order = ClampedOrder(PlantedBug.clampsUnordered.isPlanted ? [] : pairs, around: standing.map(\.rawValue))
        let given = order.given(for: sent.map(\.rawValue), from: first).map { min($0, Stamp.last.rawValue) }
        try session.pipeline(
            spaces.makingRoom(forClamps: sent.count, of: push.clampedDevice, in: push.space)
                + [
                    spaces.clamping(
                        sent.map(\.rawValue), to: given, from: context.outcome.headBefore + 1,
                        device: push.clampedDevice, in: push.space)
                ])
        for (stamp, given) in zip(sent, given) { context.clamps[stamp] = Stamp(unchecked: given) }
    }

    /// True where an edit that is only a little ahead of the server may be from before one of the same device's that
    /// was replaced: of a record whose latest news the device had not read. Who has read it, has set its clock right.
    private func isDoubtful(_ sent: Push.Sent, in context: PushContext) -> Bool {
        guard sent.stamp <= context.push.latestAccepted, sent.change.stamp != nil,
            let place = context.work.place(of: sent.change.key), let before = context.work[place].before
        else { return false }
        return !context.push.reading.holds(before)
    }

    /// True where the record has what its device sent with a later stamp, and has it with an earlier one, of which the
    /// device has not heard: its requests have crossed, and its earlier edit would stand.
    private func isOvertaken(_ sent: Push.Sent, by known: [Spaces.Clamp], in context: PushContext) -> Bool {
        guard !PlantedBug.clampsUnordered.isPlanted, let state = context.work.state(of: sent.change.key) else {
            return false
        }
        let reading = context.push.reading
        return known.contains { later in
            later.sent > sent.stamp && later.given <= sent.stamp && state.said.contains(later.given)
                && !(later.seq.map(reading.reaches) ?? false)
        }
    }
}

extension RecordState {
    /// The stamps with which what stands was said. What nobody said stands at no place in their order.
    fileprivate var said: [Stamp] { ([born, died] + stamps.stamps).filter { $0 != .never } }
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
        return max(sent, state.stamp.next)
    }
}
