/// The modes of locks on tables (PostgreSQL's manual, 13.3.1), weakest first.
package enum LockMode: Int, Sendable, Hashable, Comparable, CaseIterable {
    case accessShare = 1
    case rowShare, rowExclusive, shareUpdateExclusive, share, shareRowExclusive, exclusive, accessExclusive

    package static func < (left: LockMode, right: LockMode) -> Bool { left.rawValue < right.rawValue }

    /// The mode's name in `LOCK TABLE`.
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

    /// The mode's name in `pg_locks`.
    package var heldName: String {
        name.split(separator: " ").map { $0.prefix(1) + $0.dropFirst().lowercased() }.joined() + "Lock"
    }

    /// The modes that no other session may hold while a session holds this one: table 13.2 of the manual.
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

    /// True if pushes wait for the lock: it conflicts with ROW EXCLUSIVE.
    package var blocksWrites: Bool { self >= .share }

    /// True if pulls wait for the lock: it conflicts with ACCESS SHARE.
    package var blocksReads: Bool { self == .accessExclusive }
}
