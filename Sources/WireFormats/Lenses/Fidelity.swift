/// The part of a value that survives a conversion and its reversal.
public enum Fidelity: Hashable, Sendable {
    /// Both directions keep everything.
    case exact
    /// The newer form is richer: every older value survives, and the older view is computed. One column holds the newer
    /// form.
    case projecting
    /// Neither form says everything that the other does. Each keeps a column of its own, filled on every write.
    case lossy

    /// True if both forms share one column.
    var sharesColumn: Bool { self != .lossy }
}
