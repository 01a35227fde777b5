import Synchronization

/// The tokens whose use is still to be recorded in the database. The use of a token is recorded about once an hour,
/// together with that of other tokens.
///
/// If the set is full, a use is dropped. The token's next look-up then reports it again.
final class TokenUses: Sendable {
    private let due = Mutex<Set<[UInt8]>>([])

    /// The maximum number of tokens that one statement writes. If more tokens are used within `writeInterval`, the rest
    /// are written later.
    static let countMax = 10_000
    /// The time between two writes of token uses to the database.
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
