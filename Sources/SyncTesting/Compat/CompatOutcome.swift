/// How one pair of versions got on.
package struct CompatOutcome: Sendable {
    /// Places in the plan's shapes.
    package let writer: Int
    package let reader: Int
    /// How many entities both know.
    package let entities: Int
    package let failure: CompatFailure?

    package var isGreen: Bool { failure == nil }
}

/// The first thing that went wrong in a pair, and the few requests that show it.
package struct CompatFailure: Error, Sendable, CustomStringConvertible {
    package let step: String
    package let detail: String
    /// The changes of the record concerned, as they were pushed in that step.
    package let requests: [String]

    package var description: String { "\(step): \(detail)" }
}
