/// The part of the pending steps that a run is for.
package enum RunScope: Sendable {
    case everything
    /// The quick steps: no backfill, and nothing that comes after a pending one.
    case beforeBackfills
    /// Backfills and verify steps, as long as no other step has to run first. Only pushes to the spaces of a batch wait
    /// for their locks.
    case onlyBackfills

    /// Divides the pending steps into those for this run and those that it leaves, each with a reason.
    ///
    /// Steps after one that is left wait as well: those of the same line or, after one of the server's own, those of
    /// any line.
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
    /// True if the step runs while servers go on, for as long as it takes.
    fileprivate var isBackfill: Bool { step.phase == .backfill || step.phase == .verify }
}
