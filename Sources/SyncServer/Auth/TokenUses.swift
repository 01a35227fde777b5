import Synchronization

/// The tokens whose use must be written to the database: an hour's use is one write, together with other tokens.
///
/// A use forgotten here is noted again at the token's next look-up.
final class TokenUses: Sendable {
    private let due = Mutex<Set<[UInt8]>>([])

    /// The maximum number of tokens that one statement writes. If more come in `writeInterval`, the rest are noted
    /// later.
    static let countMax = 10_000
    /// The time between two writes.
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
