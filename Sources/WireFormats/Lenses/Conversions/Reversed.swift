/// A conversion with its directions exchanged: its older values are the newer values of `Base`, and the other way
/// round.
public struct Reversed<Base: Conversion>: Conversion {
    let base: Base

    /// Converts with the `down` of the original conversion.
    public func up(_ older: Base.Newer) throws(LensFailure) -> Base.Older { try base.down(older) }

    /// Converts with the `up` of the original conversion.
    public func down(_ newer: Base.Older) throws(LensFailure) -> Base.Newer { try base.up(newer) }

    /// The part of a value that survives this conversion and back. It is `.exact` if that of the original conversion is
    /// `.exact`, otherwise `.lossy`.
    public var fidelity: Fidelity { base.fidelity == .exact ? .exact : .lossy }

    /// The examples of the original conversion, each converted to its newer value. Examples that it cannot convert are
    /// left out.
    public var examples: [Base.Newer] { base.examples.compactMap { try? base.up($0) } }
}

extension Conversion {
    /// The same conversion with its directions exchanged. It serves a plan that splits a value in one stage and joins
    /// such values in another:
    ///
    /// ```swift
    /// Convert("Item.firstName", "lastName", to: "name", using: FullName().reversed)
    /// ```
    public var reversed: Reversed<Self> { Reversed(base: self) }
}
