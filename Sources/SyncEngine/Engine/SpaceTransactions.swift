import PGStore
import Postgres
import WireFormats

/// Runs transactions in one space, isolated by row-level security.
struct SpaceTransactions: Sendable {
    let pool: Pool

    /// The most attempts at a transaction that lost against a concurrent one; then the error is passed on.
    private static let attemptsMax = 4

    func run<Value: Sendable>(
        _ mode: TransactionMode = .readWrite, in space: ID, _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        try await repeating { [pool] in
            let entering = mode == .snapshot ? Spaces.enteringToRead(space) : Spaces.entering(space)
            return try await pool.transaction(mode, preamble: [entering], body)
        }
    }

    /// Runs a transaction that begins in `space` and may enter others, and that fails if another transaction holds a
    /// lock for longer than `briefLockTimeout`.
    func runBriefly<Value: Sendable>(
        from space: ID, _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        try await repeating { [pool] in
            let entering = Spaces.entering(space, lockTimeout: SpaceTransactions.briefLockTimeout)
            return try await pool.transaction(preamble: [entering], body)
        }
    }

    /// The longest wait of a shared transaction for another server's push, 50 ms.
    private static let briefLockTimeout = Duration.milliseconds(50)

    /// Runs a transaction outside of any space. It reaches only what functions show it.
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

    /// Retries a transaction that lost against a concurrent one, or whose session broke.
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
    /// True if a push or pull may simply be run again. Pushes are idempotent, so this includes an unknown outcome of
    /// COMMIT.
    fileprivate var isRepeatable: Bool {
        if case .commitUnknown = self { return true }
        return isRetryable
    }
}
