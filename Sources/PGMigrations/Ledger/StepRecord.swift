package import WireFormats

/// One row of `sync.migration_step`: how far a step has come.
package struct StepRecord: Sendable, Hashable {
    package let number: Int
    package let phase: MigrationStep.Phase
    package let state: State
    /// How many of its statements are done, where each is by itself.
    package let statementsDone: Int
    /// How many rows its batches have been through, and how many there were when they began.
    package let rowsDone: Int64
    package let rowsAll: Int64
    package let beganAt: Timestamp
    /// What went wrong the last time; empty where nothing did.
    package let error: String

    /// Whether it is behind us.
    package enum State: String, Sendable {
        /// Begun. Where no run is at work, the one that began it was ended in the middle.
        case running
        case done
        case failed
    }
}
