/// What a migration run reports as it goes, for a terminal or a log.
package enum MigrationEvent: Sendable, Hashable {
    /// Another run holds the lock, in these server processes; waiting.
    case waiting(holders: [Int])
    /// Steps of these files will be run, in this order.
    case planned(paths: [String])
    case began(StepName, attempt: Int)
    /// The step waits for locks that these hold. Said once per attempt and set of holders.
    case blocked(StepName, by: [Blocker])
    /// The step could not get its locks; trying again after a pause.
    case retrying(StepName, attempt: Int, after: Duration)
    /// A backfill has been through so many rows, of about so many; or so many statements of a step are done.
    case progress(StepName, done: Int64, all: Int64)
    /// A backfill waits for a replica that is behind by this much.
    case lagging(StepName, behind: Duration)
    /// A backfill cannot wait for replicas, because the login may not see how far behind they are. Said once.
    case blind(StepName)
    case finished(StepName, Duration)
    /// A transaction of the step has ended, which held its locks for so long: all of the step, a batch, or, where each
    /// is by itself, the statement of this place.
    case committed(StepName, statement: Int?, held: Duration)
    /// A step is left for another run, and why.
    case held(StepName, reason: String)
    /// A copy that a rehearsal left when it was killed is gone.
    case cleared(database: String)
    /// The copy for a rehearsal is made; it has about so many bytes of so many.
    case copying(done: Int64, all: Int64)
    case copied(Duration)
}

/// A step as people know it: its file and, where that has several, its phase.
package struct StepName: Sendable, Hashable, CustomStringConvertible {
    /// `fitiq/0007-split-quantity-text.sql`
    package let path: String
    package let phase: MigrationStep.Phase
    /// Its place in the file, from 1.
    package let number: Int
    /// Whether it is all of its file.
    package let isWhole: Bool

    init(_ step: MigrationStep, of file: MigrationFile) {
        (path, phase, number, isWhole) = (file.path, step.phase, step.number, file.steps.count == 1)
    }

    package var description: String { isWhole ? path : "\(path) (\(phase))" }
}
