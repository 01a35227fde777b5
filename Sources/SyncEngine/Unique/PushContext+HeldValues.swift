import Postgres
import WireFormats

/// The stage of a push that checks if its records hold unique values which other records hold. It runs after liveness
/// has followed the changes, because records that were deleted with the push's records hold no values any more.
extension PushContext {
    /// - Parameter isFollowed: true if the push had to be written so that liveness could follow the changes.
    /// - Returns: the outcome if the push cannot go on: `refused`, for changes that ask for values which others hold;
    ///   `insertConflict`, if a record that was taken for new may exist already. `nil` if the push can go on.
    /// - Throws: `PGError`.
    func checkHeldValues(isFollowed: Bool, _ session: isolated Session) throws -> PushAttempt? {
        guard store.hub.entities.contains(where: { !$0.uniqueColumns.isEmpty }) else { return nil }
        let merged = push.changes.compactMap { index, change, sent -> Push.Sent? in
            guard !entity(of: change.key).uniqueColumns.isEmpty,
                let verdict = outcome.verdicts[index], !verdict.leavesNothing
            else { return nil }
            return (index, change, clamps[sent] ?? sent)
        }
        let rules = UniqueContest.Rules(
            hub: store.hub, readers: store.readers, mode: push.mode,
            isLastResort: push.uniqueRounds >= UniqueContest.roundsMax)
        let holders = UniqueHolders(hub: store.hub, tables: store.tables, rules: rules, space: push.space)
        let refused = try holders.refusals(of: merged, work, isFollowed: isFollowed, session)
        if refused.isEmpty { return nil }
        return work.optimistic.isEmpty ? .refused(Push.Refusal(rejections: refused)) : .insertConflict
    }
}
