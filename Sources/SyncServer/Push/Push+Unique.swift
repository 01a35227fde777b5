import PGStore
import WireFormats

// What a push shows once it is settled who lives.
extension Push {
    /// To be asked when lives have followed what changed: what goes with the push's records holds nothing any more.
    ///
    /// - Parameter isFollowed: whether anything had to be written for that.
    /// - Throws: `Refusal` of what asks for unique values that others hold; `Doubt`, where a record that was taken for
    ///   new may be another than it seems; `PGError`.
    func refuseHeldValues(
        _ work: WorkingSet, _ clamped: [Stamp: Stamp], _ outcome: Outcome, isFollowed: Bool,
        _ session: isolated Session
    ) throws {
        guard hub.entities.contains(where: { !$0.uniqueColumns.isEmpty }) else { return }
        let merged = changes.compactMap { index, change, sent -> (index: Int, change: Change, stamp: Stamp)? in
            guard !hub.entities[change.key.entity].uniqueColumns.isEmpty,
                let verdict = outcome.verdicts[index], !verdict.leavesNothing
            else { return nil }
            return (index, change, clamped[sent] ?? sent)
        }
        let rules = UniqueContest.Rules(
            hub: hub, readers: readers, mode: mode, isLastResort: uniqueRounds >= UniqueContest.roundsMax)
        let holders = UniqueHolders(hub: hub, tables: tables, rules: rules, space: space)
        let refused = try holders.refusals(of: merged, work, isFollowed: isFollowed, session)
        if refused.isEmpty { return }
        if !work.trusted.isEmpty { throw Doubt() }
        throw Refusal(rejections: refused)
    }
}
