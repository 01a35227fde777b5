/// The selection of pending steps that a run performs.
package enum RunScope: Sendable {
    case everything
    /// Quick steps only: no backfill, and no step that comes after a pending backfill.
    case beforeBackfills
    /// Backfills and verify steps that do not come after a pending expand step. A backfill works in batches. Its locks
    /// delay only pushes to the spaces of the current batch.
    case onlyBackfills

    /// Divides the pending steps into those to run now and those to leave for a later run, each with a reason. With
    /// `onlyBackfills`, steps other than backfills and verify steps are in neither list.
    ///
    /// A step that does not run now delays all later steps of its migration line. A step of the server's own line
    /// delays the later steps of every line. Contract steps that `onlyBackfills` skips delay nothing.
    func divide(_ pending: [PendingStep]) -> (ready: [PendingStep], left: [MigrationOutcome.LeftStep]) {
        var (ready, left): ([PendingStep], [MigrationOutcome.LeftStep]) = ([], [])
        // The reason why the rest of a line waits, by line.
        var waiting: [String: String] = [:]
        for pendingStep in pending {
            let line = pendingStep.file.id.line
            if let reason = waiting[line] ?? waiting[MigrationLine.serverLineName] {
                if self == .beforeBackfills || pendingStep.isBackfill {
                    left.append(.init(step: pendingStep.name, reason: reason))
                }
                continue
            }
            switch (self, pendingStep.step.phase) {
            case (.beforeBackfills, .backfill):
                left.append(.init(step: pendingStep.name, reason: "Run ‘syncserver migrate backfill’."))
                waiting[line] = "The one before it waits."
            case (.onlyBackfills, .expand):
                waiting[line] = "First ‘syncserver migrate up’ is to run \(pendingStep.name)."
            case (.onlyBackfills, .contract): break
            default: ready.append(pendingStep)
            }
        }
        return (ready, left)
    }
}

extension PendingStep {
    /// True if the step may take any time, because servers continue to serve while it runs.
    fileprivate var isBackfill: Bool { step.phase == .backfill || step.phase == .verify }
}
