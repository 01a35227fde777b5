import Synchronization

/// Tokens of which it is to be written down that somebody uses them: an hour's use is one write, together with others.
///
/// What is forgotten here is noted again when the token is next looked up.
final class TokenUses: Sendable {
    private let due = Mutex<Set<[UInt8]>>([])

    /// What one statement takes. When more than this come in `writeInterval`, the rest are noted later.
    static let countMax = 10_000
    /// How often they are written.
    static let writeInterval = Duration.seconds(10)

    func note(_ hashes: some Sequence<[UInt8]>) {
        due.withLock { due in
            for hash in hashes where due.count < TokenUses.countMax { due.insert(hash) }
        }
    }

    func take() -> [[UInt8]] {
        due.withLock { due in
            defer { due = [] }
            return Array(due)
        }
    }
}
