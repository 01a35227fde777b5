/// Which of the pending steps a run is for.
package enum RunScope: Sendable {
    case everything
    /// What is quick: no backfill, and nothing that comes after one that is pending.
    case beforeBackfills
    /// Backfills and verify steps, where nothing else is to be done before. Nobody waits for their locks but pushes to
    /// the spaces of a batch.
    case onlyBackfills

    /// Divides the pending steps into those that this run is for and those that it leaves, each with why.
    ///
    /// What comes after a step that is left waits with it: in its line or, after one of the server's own, in any.
    func divide(_ pending: [Migrator.Work]) -> (ready: [Migrator.Work], left: [MigrationRun.Held]) {
        var (ready, left): ([Migrator.Work], [MigrationRun.Held]) = ([], [])
        // Why the rest of a line waits.
        var waiting: [String: String] = [:]
        for work in pending {
            let line = work.file.id.line
            if let reason = waiting[line] ?? waiting[MigrationLine.serverLineName] {
                if self == .beforeBackfills || work.isBackfill { left.append(.init(step: work.name, reason: reason)) }
                continue
            }
            switch (self, work.step.phase) {
            case (.beforeBackfills, .backfill):
                left.append(.init(step: work.name, reason: "Run ‘syncserver migrate backfill’."))
                waiting[line] = "The one before it waits."
            case (.onlyBackfills, .expand):
                waiting[line] = "First ‘syncserver migrate up’ is to run \(work.name)."
            case (.onlyBackfills, .contract): break
            default: ready.append(work)
            }
        }
        return (ready, left)
    }
}

extension Migrator.Work {
    /// Whether it is done beside traffic, for as long as it takes.
    fileprivate var isBackfill: Bool { step.phase == .backfill || step.phase == .verify }
}
