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
/// Its laws are tested from `examples` with no test code from its author. Both directions should be total: a value
/// without a counterpart maps to the one that the other version shows for it. What was written is not lost by that:
/// with fidelity `.lossy` each form is kept in a column of its own, and an untouched value is never written back. Where
/// there is no such value, throw `LensFailure`: the change is held until the conversion has been fixed, and what
/// cannot be read reads as the attribute's default.
public protocol Conversion: Sendable {
    associatedtype Older
    associatedtype Newer

    func up(_ older: Older) throws(LensFailure) -> Newer
    func down(_ newer: Newer) throws(LensFailure) -> Older
    /// `.lossy`, where nothing is said; several attributes, and several kept as one, always are.
    var fidelity: Fidelity { get }
    /// Values that are typical or difficult; the law tests mix them with generated ones.
    var examples: [Older] { get }
}

extension Conversion {
    public var fidelity: Fidelity { .lossy }
}

/// A conversion between one attribute and two, which `Split` and `Merge` take in either direction: a `Conversion` says
/// the same, of any number of attributes and in one direction. Always held in columns of its own on both sides.
public protocol SplitConversion: Sendable {
    associatedtype Whole: AttributeValue
    associatedtype First: AttributeValue
    associatedtype Second: AttributeValue

    func split(_ whole: Whole) throws(LensFailure) -> (First, Second)
    func merge(_ first: First, _ second: Second) throws(LensFailure) -> Whole
    var examples: [Whole] { get }
}
