package import WireFormats

/// The progress of a step: one row of `sync.migration_step`.
package struct StepRecord: Sendable, Hashable {
    package let number: Int
    package let phase: MigrationStep.Phase
    package let state: State
    /// The number of done statements, for a step whose statements run each by itself.
    package let statementsDone: Int
    /// The number of rows that the batches of a backfill have passed; `rowsAll` is the number of rows that the table
    /// had when they began.
    package let rowsDone: Int64
    package let rowsAll: Int64
    package let beganAt: Timestamp
    /// The error of the last attempt; empty if there was none.
    package let error: String

    /// The progress of a step, as the ledger records it.
    package enum State: String, Sendable {
        /// Begun. If no run is at work, the run that began the step was ended in the middle.
        case running
        case done
        case failed
    }
}
