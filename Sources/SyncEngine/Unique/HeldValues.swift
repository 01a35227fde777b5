import Postgres
import WireFormats

/// The stage of a push that checks if its records hold unique values which other records hold. It runs after liveness
/// has followed the changes, because records that were deleted with the push's records hold no values any more.
struct HeldValues {
    /// - Parameter isFollowed: true if the push had to be written so that liveness could follow the changes.
    /// - Returns: the outcome if the push cannot go on: `refused`, for changes that ask for values which others hold;
    ///   `insertConflict`, if a record that was taken for new may exist already. `nil` if the push can go on.
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
