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

    /// As `pg_locks` names one that is held.
    package var heldName: String {
        name.split(separator: " ").map { $0.prefix(1) + $0.dropFirst().lowercased() }.joined() + "Lock"
    }

    /// The modes that nobody else may hold while somebody holds this one: table 13.2 of the manual.
    package var conflicting: [LockMode] {
        switch self {
        case .accessShare: [.accessExclusive]
        case .rowShare: [.exclusive, .accessExclusive]
        case .rowExclusive: [.share, .shareRowExclusive, .exclusive, .accessExclusive]
        case .shareUpdateExclusive: [.shareUpdateExclusive, .share, .shareRowExclusive, .exclusive, .accessExclusive]
        case .share: [.rowExclusive, .shareUpdateExclusive, .shareRowExclusive, .exclusive, .accessExclusive]
        case .shareRowExclusive:
            [.rowExclusive, .shareUpdateExclusive, .share, .shareRowExclusive, .exclusive, .accessExclusive]
        case .exclusive: Self.allCases.filter { $0 != .accessShare }
        case .accessExclusive: Self.allCases
        }
    }

    /// Whether pushes wait for it: it conflicts with ROW EXCLUSIVE.
    package var blocksWrites: Bool { self >= .share }

    /// Whether pulls wait for it: it conflicts with ACCESS SHARE.
    package var blocksReads: Bool { self == .accessExclusive }
}
