/// A hand-written two-way conversion between attributes of an older and a newer version: a value with four members.
///
/// `Older` and `Newer` are an `AttributeValue` each, or a tuple of them, one for each attribute that `Convert` names:
///
/// ```swift
/// struct TripAddress: Conversion {
///     func up(_ older: (String, Int, String)) -> Address { … }
///     func down(_ newer: Address) -> (String, Int, String) { … }
///     let examples = [("Rua Augusta", 5, "Lisboa"), ("", 0, "")]
/// }
/// ```
///
/// A conversion's laws are tested with its `examples`; its author writes no test code. Both directions should be total:
/// a value without a counterpart maps to the value that the other version shows for it. The written value is not lost
/// by that: with fidelity `.lossy` each form is kept in a column of its own, and an untouched value is never written
/// back. If there is no value to map to, throw `LensFailure`: the change is held until the conversion has been fixed,
/// and a value that cannot be read reads as the attribute's default.
public protocol Conversion: Sendable {
    /// A value of the older version, or a tuple of values.
    associatedtype Older
    /// A value of the newer version, or a tuple of values.
    associatedtype Newer

    /// Returns the newer value of an older one.
    ///
    /// - Throws: `LensFailure` for a value that has no counterpart.
    func up(_ older: Older) throws(LensFailure) -> Newer
    /// Returns the older value of a newer one.
    ///
    /// - Throws: `LensFailure` for a value that has no counterpart.
    func down(_ newer: Newer) throws(LensFailure) -> Older
    /// The part of a value that survives the conversion. `.lossy` by default. Always lossy if there are several
    /// attributes on either side, also if they are kept as one.
    var fidelity: Fidelity { get }
    /// Typical and difficult values; the law tests mix them with generated ones.
    var examples: [Older] { get }
}

extension Conversion {
    public var fidelity: Fidelity { .lossy }
}
