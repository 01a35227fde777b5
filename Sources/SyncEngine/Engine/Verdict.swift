import WireFormats

/// The result of one change. It is final: a device may forget a change as soon as it has received the verdict.
package enum Verdict: Hashable, Sendable {
    case applied
    /// The change was applied, except for the listed attributes, in which a later edit by someone else wins.
    case merged(kept: [String])
    /// Nothing of the change took effect, because later edits or a deletion win.
    case superseded
    /// The record already had all values of the change.
    case unchanged
    case rejected(Rejection)
    /// The change is in quarantine: a fault of the server prevents merging it. It is stored as it was sent, and will be
    /// merged later.
    case held(QuarantineReason)

    /// True if the change was not merged: it was rejected, or it is in quarantine.
    var leavesNothing: Bool {
        switch self {
        case .rejected, .held: true
        case .applied, .merged, .superseded, .unchanged: false
        }
    }

    /// True if the change waits in quarantine for the creation of its record, which is in quarantine, too.
    var isBehindHeld: Bool {
        if case .held(let holding) = self { holding.code == .behindHeld } else { false }
    }

    /// The name of the verdict in answers.
    package var name: String { kind.rawValue }

    private var kind: VerdictName {
        switch self {
        case .applied: .applied
        case .merged: .merged
        case .superseded: .superseded
        case .unchanged: .unchanged
        case .rejected: .rejected
        case .held: .held
        }
    }
}
