/// The error of a lens that cannot translate a value. The author of a conversion throws it. The lens also throws it if
/// a conversion returns a value that the attribute cannot have.
///
/// It is a fault of the plan and not of the device. A value that was to be written is held in quarantine until the lens
/// has been fixed. A value that was to be read reads as the attribute's default. The laws find such a failure (law 6,
/// total) before the version is served, if a generated value leads to it.
public struct LensFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value that cannot be translated, and the reason, for the operator. Kept with the change and shown to nobody
    /// else.
    public let reason: String

    /// Makes a failure.
    ///
    /// - Parameter reason: the reason, as a sentence for the operator.
    public init(_ reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}
