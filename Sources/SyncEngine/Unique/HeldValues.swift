import Postgres
import WireFormats

/// The stage that looks whether records hold unique values which others hold: once lives have followed what changed,
/// because what goes with the push's records holds nothing any more.
struct HeldValues {
    /// - Parameter isFollowed: whether anything had to be written for that.
    /// - Returns: where the push cannot go on, what it came to: `refused`, for what asks for values that others hold;
    ///   `insertConflict`, where a record that was taken for new may be another than it seems.
    /// - Throws: `PGError`.
    func check(_ context: PushContext, isFollowed: Bool, _ session: isolated Session) throws -> PushAttempt? {
        let (push, store) = (context.push, context.store)
        guard store.hub.entities.contains(where: { !$0.uniqueColumns.isEmpty }) else { return nil }
        let merged = push.changes.compactMap { index, change, sent -> Push.Sent? in
            guard !context.entity(of: change.key).uniqueColumns.isEmpty,
                let verdict = context.outcome.verdicts[index], !verdict.leavesNothing
            else { return nil }
            return (index, change, context.clamps[sent] ?? sent)
        }
        let rules = UniqueContest.Rules(
            hub: store.hub, readers: store.readers, mode: push.mode,
            isLastResort: push.uniqueRounds >= UniqueContest.roundsMax)
        let holders = UniqueHolders(hub: store.hub, tables: store.tables, rules: rules, space: push.space)
        let refused = try holders.refusals(of: merged, context.work, isFollowed: isFollowed, session)
        if refused.isEmpty { return nil }
        return context.work.optimistic.isEmpty ? .refused(Push.Refusal(rejections: refused)) : .insertConflict
    }
}
