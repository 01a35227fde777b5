/// How much of a value survives a conversion and back.
public enum Fidelity: Hashable, Sendable {
    /// Both directions keep everything.
    case exact
    /// The newer form is richer: everything older survives, the older view is computed. One column holds the newer
    /// form.
    case projecting
    /// Neither form says all that the other does. Each keeps a column of its own, filled on every write.
    case lossy

    /// Whether both forms share one column.
    var sharesColumn: Bool { self != .lossy }
}
