/// The result of the test of two versions, one of which writes records that the other reads.
package struct CompatOutcome: Sendable {
    /// The version that writes, as an index in the plan's `shapes`.
    package let writer: Int
    package let reader: Int
    /// The number of entities that both versions have.
    package let entities: Int
    package let failure: CompatFailure?

    package var isGreen: Bool { failure == nil }
}

/// The first failure in the test of a writing and a reading version, with the few requests that show it.
package struct CompatFailure: Error, Sendable, CustomStringConvertible {
    package let step: String
    package let detail: String
    /// The changes of the affected record, as JSON, as they were pushed in the step that failed.
    package let requests: [String]

    package var description: String { "\(step): \(detail)" }
}
