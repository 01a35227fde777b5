import PGStore
import Postgres
import WireFormats

/// Transactions in one space, behind the wall that row-level security puts around it.
struct SpaceTransactions: Sendable {
    let pool: Pool

    /// How often a transaction that lost against a concurrent one is tried before the error is passed on.
    private static let attemptsMax = 4

    func run<Value: Sendable>(
        _ mode: TransactionMode = .readWrite, in space: ID, _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        try await repeating { [pool] in
            let entering = mode == .snapshot ? Spaces.enteringToRead(space) : Spaces.entering(space)
            return try await pool.transaction(mode, preamble: [entering], body)
        }
    }

    /// Runs a transaction that begins in `space`, may enter others, and gives up where somebody holds a lock.
    func runBriefly<Value: Sendable>(
        from space: ID, _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        try await repeating { [pool] in
            let entering = Spaces.entering(space, lockTimeout: SpaceTransactions.briefLockTimeout)
            return try await pool.transaction(preamble: [entering], body)
        }
    }

    /// Pushes that share a transaction wait for no other server's push for longer.
    private static let briefLockTimeout = Duration.milliseconds(50)

    /// Runs a transaction outside of any space: it reaches what functions show it.
    func runOutside<Value: Sendable>(
        _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        try await repeating { [pool] in try await pool.transaction(.readWrite, preamble: [], body) }
    }

    /// Runs one statement outside of any space.
    func ask(_ command: Command) async throws -> Rows {
        try await repeating { [pool] in
            try await pool.withSession { session in try await session.execute(command) }
        }
    }

    /// Tries again what lost against a concurrent transaction, or a session that broke.
    func repeating<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        var attempt = 1
        while true {
            do {
                return try await body()
            } catch let error as PGError {
                guard attempt < SpaceTransactions.attemptsMax, error.isRepeatable else { throw error }
                attempt += 1
            }
        }
    }
}

extension PGError {
    /// Whether a push or pull may simply be run again. Pushes are idempotent, so even an unknown outcome is no reason
    /// not to.
    fileprivate var isRepeatable: Bool {
        if case .commitUnknown = self { return true }
        return isRetryable
    }
}
