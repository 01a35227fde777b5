/// A lens cannot translate a value: its author throws it from a conversion, and so do we where a conversion's result is
/// none that the attribute may have.
///
/// It is a fault of the plan and not of the device. What was to be written is held in quarantine until the lens has
/// been fixed; what was to be read reads as the attribute's default. The laws find it (law 6, total) before it is
/// served, where a generated value leads to it.
public struct LensFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// For the operator: what cannot be translated, and why. Kept with the change and shown to nobody else.
    public let reason: String

    public init(_ reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}
