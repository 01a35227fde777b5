/// The part of a value that survives a conversion to the other form and back.
public enum Fidelity: Hashable, Sendable {
    /// Both directions keep every value.
    case exact
    /// The newer form is richer: every older value survives, but a newer value may not. One column contains the newer
    /// form, and what older versions read is computed from it.
    case projecting
    /// Each form can express something that the other cannot. Each form has a column of its own, and a write to one
    /// form also sets the other.
    case lossy

    /// True if one column serves both forms of the value, so that the second form needs no column of its own.
    var sharesColumn: Bool { self != .lossy }
}
