package import WireFormats

/// The progress of a step: one row of `sync.migration_step`.
package struct StepRecord: Sendable, Hashable {
    package let number: Int
    package let phase: MigrationStep.Phase
    package let state: State
    /// The number of statements that are done, for a step whose statements run one at a time.
    package let statementsDone: Int
    /// The number of rows that the batches of a backfill have passed. `rowsAll` is the number of rows that the table
    /// had when the backfill began.
    package let rowsDone: Int64
    package let rowsAll: Int64
    package let beganAt: Timestamp
    /// The error message of the last attempt to run the step; empty if there was none.
    package let error: String

    /// The progress of a step, as the ledger records it.
    package enum State: String, Sendable {
        /// The step was begun and is not recorded as ended. If no migration run is active, the run was interrupted.
        case running
        case done
        case failed
    }
}
