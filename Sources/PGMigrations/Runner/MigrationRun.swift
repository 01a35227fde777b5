/// What a run of migrations came to.
package struct MigrationRun: Sendable, Hashable {
    /// The files of which a step was done, in their order.
    package internal(set) var applied: [String] = []
    /// Steps that were left, and why, in their order.
    package internal(set) var held: [Held] = []

    /// A step that must wait.
    package struct Held: Sendable, Hashable {
        package let step: StepName
        package let reason: String
    }
}

/// Whether a run may take away what old servers need.
package enum ContractPolicy: Sendable {
    /// Not now: the servers before this one are still to be replaced.
    case hold
    /// Where no server that needs it is at work, and what the step requires holds.
    case run
}
