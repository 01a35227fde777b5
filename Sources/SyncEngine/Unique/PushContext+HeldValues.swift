import Postgres
import WireFormats

/// The stage of a push that checks if its records have values of unique attributes that other living records have. It
/// runs after it is decided which records are alive, because records that were deleted by cascade do not block a value
/// any more.
extension PushContext {
    /// Checks the unique values of the push's records.
    ///
    /// - Parameter isFollowed: true if the push's records are written already, and their deletions have cascaded in the
    ///   database.
    /// - Returns: `nil` if the push can go on, otherwise its outcome. The outcome is `refused` for changes that set
    ///   values which other records have. It is `insertConflict` if a record that was taken for new may exist already.
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
