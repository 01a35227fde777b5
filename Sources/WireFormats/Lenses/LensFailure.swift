/// The error of a lens that cannot translate a value. The author of a conversion throws it. The lens also throws it if
/// a conversion returns a value that the attribute cannot have.
///
/// The fault is in the plan, not in the device. A change with a value that cannot be translated is quarantined until
/// the lens has been fixed. A stored value that cannot be translated is read as the attribute's default. The law checks
/// find such a failure before the version is released, if one of their random values causes it (law 6: a lens is
/// total).
public struct LensFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The value that cannot be translated, and the reason, for the operator of the server. It is stored with the
    /// quarantined change and sent to nobody.
    public let reason: String

    /// Makes a failure.
    ///
    /// - Parameter reason: the reason, as a sentence for the operator.
    public init(_ reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}
