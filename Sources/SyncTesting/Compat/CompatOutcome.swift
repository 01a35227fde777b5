/// The result of one pair of versions.
package struct CompatOutcome: Sendable {
    /// The versions, as indices in the plan's shapes.
    package let writer: Int
    package let reader: Int
    /// The number of entities that both versions have.
    package let entities: Int
    package let failure: CompatFailure?

    package var isGreen: Bool { failure == nil }
}

/// The first failure in a pair, with the few requests that show it.
package struct CompatFailure: Error, Sendable, CustomStringConvertible {
    package let step: String
    package let detail: String
    /// The changes of the affected record, as they were pushed in that step.
    package let requests: [String]

    package var description: String { "\(step): \(detail)" }
}
