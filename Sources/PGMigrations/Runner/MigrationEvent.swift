/// An event of a migration run, to be shown on a terminal or written to a log.
package enum MigrationEvent: Sendable, Hashable {
    /// This run waits for another run, which holds the runner's lock in the server processes with these process IDs.
    case waiting(holders: [Int])
    /// Steps of these files will be run, in this order.
    case planned(paths: [String])
    case began(StepName, attempt: Int)
    /// The step waits for locks that these sessions hold. Reported once per attempt and set of sessions.
    case blocked(StepName, by: [Blocker])
    /// The step could not get its locks, and is tried again after a pause.
    case retrying(StepName, attempt: Int, after: Duration)
    /// The progress of a step. For a backfill, the numbers are rows, and `all` is an estimate. For a step whose
    /// statements run one at a time, the numbers are statements.
    case progress(StepName, done: Int64, all: Int64)
    /// A backfill waits for a replica that lags by this time.
    case lagging(StepName, behind: Duration)
    /// A backfill cannot wait for lagging replicas, because the login may not see their lag. The event is sent only
    /// once.
    case blind(StepName)
    case finished(StepName, Duration)
    /// A transaction of a step has ended; `held` is the time for which it held its locks. `statement` is the index of
    /// its statement if the step's statements run one at a time. It is `nil` for a whole step or a batch.
    case committed(StepName, statement: Int?, held: Duration)
    /// A step was not run and is left for a later run. `reason` says why.
    case left(StepName, reason: String)
    /// The copy that a killed rehearsal left behind was dropped.
    case cleared(database: String)
    /// The copy for a rehearsal is being made; its size so far and the expected size, in bytes.
    case copying(done: Int64, all: Int64)
    case copied(Duration)
}

/// A step's name for people: its file and, if the file has several steps, the phase.
package struct StepName: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file: `fitiq/0007-split-quantity-text.sql`
    package let path: String
    package let phase: MigrationStep.Phase
    /// The step's number in the file, from 1.
    package let number: Int
    /// True if the step is the only one of its file.
    package let isWhole: Bool

    init(_ step: MigrationStep, of file: MigrationFile) {
        (path, phase, number, isWhole) = (file.path, step.phase, step.number, file.steps.count == 1)
    }

    package var description: String { isWhole ? path : "\(path) (\(phase))" }
}
