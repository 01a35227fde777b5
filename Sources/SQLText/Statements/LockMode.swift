/// The modes of locks on tables (PostgreSQL's manual, 13.3.1), weakest first.
package enum LockMode: Int, Sendable, Hashable, Comparable, CaseIterable {
    case accessShare = 1
    case rowShare, rowExclusive, shareUpdateExclusive, share, shareRowExclusive, exclusive, accessExclusive

    package static func < (left: LockMode, right: LockMode) -> Bool { left.rawValue < right.rawValue }

    /// As `LOCK TABLE` writes it.
    package var name: String {
        switch self {
        case .accessShare: "ACCESS SHARE"
        case .rowShare: "ROW SHARE"
        case .rowExclusive: "ROW EXCLUSIVE"
        case .shareUpdateExclusive: "SHARE UPDATE EXCLUSIVE"
        case .share: "SHARE"
        case .shareRowExclusive: "SHARE ROW EXCLUSIVE"
        case .exclusive: "EXCLUSIVE"
        case .accessExclusive: "ACCESS EXCLUSIVE"
        }
    }

    /// Whether pushes wait for it: it conflicts with ROW EXCLUSIVE.
    package var blocksWrites: Bool { self >= .share }

    /// Whether pulls wait for it: it conflicts with ACCESS SHARE.
    package var blocksReads: Bool { self == .accessExclusive }
}
