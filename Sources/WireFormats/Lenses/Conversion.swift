/// A hand-written two-way conversion between attributes of an older and a newer version.
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
/// A conversion's laws are tested with its `examples`; its author writes no test code.
///
/// Both directions should return a value for every input. If a value has no exact counterpart, return the value that
/// users of the other version should see. The original value is not lost: with fidelity `.lossy`, each form has a
/// column of its own, and a form that nobody edits is never overwritten.
///
/// If no value is suitable, throw `LensFailure`. A change with the value is then quarantined until the conversion has
/// been fixed. A stored value that cannot be converted is read as the attribute's default.
public protocol Conversion: Sendable {
    /// A value of the older version, or a tuple of values.
    associatedtype Older
    /// A value of the newer version, or a tuple of values.
    associatedtype Newer

    /// Returns the newer version's value for a value of the older version.
    ///
    /// - Throws: `LensFailure` for a value that has no counterpart.
    func up(_ older: Older) throws(LensFailure) -> Newer
    /// Returns the older version's value for a value of the newer version.
    ///
    /// - Throws: `LensFailure` for a value that has no counterpart.
    func down(_ newer: Newer) throws(LensFailure) -> Older
    /// The part of a value that survives the conversion to the other form and back. `.lossy` by default. If there are
    /// several attributes on either side, the plan's check accepts only `.lossy`.
    var fidelity: Fidelity { get }
    /// Typical and difficult values of the older version. The law tests use them together with random values.
    var examples: [Older] { get }
}

extension Conversion {
    public var fidelity: Fidelity { .lossy }
}
