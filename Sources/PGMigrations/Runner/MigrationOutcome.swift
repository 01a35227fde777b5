/// The result of a migration run: the files that it applied, and the steps that it did not run.
package struct MigrationOutcome: Sendable, Hashable {
    /// The paths of the files of which at least one step was run to its end, in the order of the files.
    package internal(set) var applied: [String] = []
    /// The steps that are left for a later run, in order, each with the reason.
    package internal(set) var left: [LeftStep] = []

    /// A step that the run did not perform and that must wait for another run, with the reason.
    package struct LeftStep: Sendable, Hashable {
        package let step: StepName
        package let reason: String
    }
}

/// The policy for contract steps, which remove what old servers need.
package enum ContractPolicy: Sendable {
    /// No contract step runs, because servers of the previous release are still to be replaced.
    case hold
    /// A contract step runs if its conditions are met and no server is at work that needs the removed objects.
    case run
}
