import PGStore
import Postgres
import WireFormats

/// Runs transactions in one space, isolated by row-level security.
struct SpaceTransactions: Sendable {
    let pool: Pool

    /// Runs a transaction in a space. Runs it again if it lost against a concurrent transaction, or if its session
    /// broke.
    ///
    /// - Parameter lockTimeout: the longest wait for another transaction's lock; `nil` for the session's own limit.
    func run<Value: Sendable>(
        _ mode: TransactionMode = .readWrite, in space: ID, lockTimeout: Duration? = nil,
        _ body: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        let entering =
            if mode == .snapshot {
                Spaces.enteringToRead(space)
            } else if let lockTimeout {
                Spaces.entering(space, lockTimeout: lockTimeout)
            } else {
                Spaces.entering(space)
            }
        return try await repeating { [pool] in try await pool.transaction(mode, preamble: [entering], body) }
    }

    /// Runs a transaction outside of any space. Row-level security hides the rows of every space from it. Only SQL
    /// functions of the schema `sync` can show it some of them.
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

    /// Runs `body`. Runs it again if a transaction in it lost against a concurrent one, or if its session broke.
    func repeating<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        var attempts = Attempts()
        while true {
            do {
                return try await body()
            } catch let error as PGError where attempts.mayRepeat(after: error) {}
        }
    }
}

/// A count of the attempts at a transaction. If the last of them fails, its error is thrown.
private struct Attempts {
    private static let countMax = 4
    private var count = 1

    /// Returns true if the transaction is to be run again, and counts that attempt.
    mutating func mayRepeat(after error: PGError) -> Bool {
        guard count < Attempts.countMax, error.isRepeatable else { return false }
        count += 1
        return true
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
