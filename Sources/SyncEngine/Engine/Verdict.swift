/// What became of one change. Terminal: a device may forget a change once it has its verdict.
package enum Verdict: Hashable, Sendable {
    case applied
    /// Attributes that a later edit by someone else had already set keep that edit; the rest was applied.
    case merged(kept: [String])
    /// Nothing of it took effect: later edits, or a deletion, stand.
    case superseded
    /// The record already said all of it.
    case unchanged
    case rejected(Rejection)
    /// A fault of ours keeps it from being merged; it is stored as it was sent, and will be.
    case held(QuarantineReason)

    /// Whether nothing of it was merged.
    var leavesNothing: Bool {
        switch self {
        case .rejected, .held: true
        case .applied, .merged, .superseded, .unchanged: false
        }
    }

    /// Whether it waits for its record's creation, which is held.
    var isBehindHeld: Bool {
        if case .held(let holding) = self { holding.code == .behindHeld } else { false }
    }

    /// Its name on the wire.
    package var name: String {
        switch self {
        case .applied: "applied"
        case .merged: "merged"
        case .superseded: "superseded"
        case .unchanged: "unchanged"
        case .rejected: "rejected"
        case .held: "held"
        }
    }
}
