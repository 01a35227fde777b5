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
    /// No contract step runs, because servers of the previous release are still to be replaced.
    case hold
    /// A contract step runs if its conditions are met and no server is at work that needs the removed objects.
    case run
}
