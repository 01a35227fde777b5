import WireFormats

/// The stage that judges edits of records that are dead at the end of the push. Such edits take no effect, because a
/// deletion wins: that of the record itself, or that of a record to which it belongs.
extension PushContext {
    mutating func judgeVainChanges() {
        // After most pushes every record that they name is alive.
        if work.indices.allSatisfy({ work[$0].state.isAlive }) { return }
        for (index, change, _) in push.changes where change.operation != .delete {
            guard let slot = work.slot(of: change.key), !work[slot].state.isAlive,
                outcome.verdicts[index]?.leavesNothing != true
            else { continue }
            // An edit that is sent for the first time is superseded, too, where it equals the stored value.
            let isRetry = outcome.verdicts[index] == .unchanged && !saidAgain.contains(index)
            if !isRetry { outcome.verdicts[index] = .superseded }
            work[slot].copy.doubts.insert(isRetry ? .believedAlive : .lost)
        }
    }
}
