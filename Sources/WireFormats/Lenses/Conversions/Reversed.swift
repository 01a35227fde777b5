/// A conversion in the other direction: its newer values are the older ones.
public struct Reversed<Base: Conversion>: Conversion {
    let base: Base

    /// Converts as the base converts back.
    public func up(_ older: Base.Newer) throws(LensFailure) -> Base.Older { try base.down(older) }

    /// Converts back as the base converts.
    public func down(_ newer: Base.Older) throws(LensFailure) -> Base.Newer { try base.up(newer) }

    /// The fidelity in this direction: a richer older form is lossy.
    public var fidelity: Fidelity { base.fidelity == .exact ? .exact : .lossy }

    /// The newer values of the base's examples, without those that it cannot convert.
    public var examples: [Base.Newer] { base.examples.compactMap { try? base.up($0) } }
}

extension Conversion {
    /// The same conversion in the other direction, for a plan that first takes a value apart and later puts such values
    /// together, or the other way round:
    ///
    /// ```swift
    /// Convert("Item.firstName", "lastName", to: "name", using: FullName().reversed)
    /// ```
    public var reversed: Reversed<Self> { Reversed(base: self) }
}
