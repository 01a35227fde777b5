/// The result of a run of migrations: the files that it applied, and the steps that it left.
package struct MigrationOutcome: Sendable, Hashable {
    /// The paths of files of which a step was done, in their order.
    package internal(set) var applied: [String] = []
    /// The steps that were left, with reasons, in their order.
    package internal(set) var left: [LeftStep] = []

    /// A step that the run did not perform and that must wait for another run, with the reason.
    package struct LeftStep: Sendable, Hashable {
        package let step: StepName
        package let reason: String
    }
}

/// The policy for contract steps, which remove what old servers need.
package enum ContractPolicy: Sendable {
    /// No contract step runs: the servers of the release before are still to be replaced.
    case hold
    /// A contract step runs if no server is at work that needs what it removes, and if its conditions hold.
    case run
}
