package import PGStore
import Postgres
package import SQLText

/// The result of running the pending files in a copy of the database.
package struct MigrationRehearsal: Sendable {
    /// The size of the copied tables, in bytes; 0 if nothing is pending and so nothing was copied.
    package internal(set) var bytes: Int64 = 0
    package internal(set) var copying = Duration.zero
    /// The steps that ran, in their order, up to the one that failed.
    package internal(set) var steps: [Step] = []
    /// The contract steps that were not rehearsed.
    package internal(set) var left: [MigrationOutcome.LeftStep] = []
    /// The values that, after the rehearsal, could not be sent to any device.
    package internal(set) var unsendable: [UnsendableValues.Finding] = []
    /// The reason why the files would fail; `nil` if they would not.
    package internal(set) var failure: String?

    /// The shortest wait of other sessions that is worth reporting. A backfill keeps the duration of its batches below
    /// it.
    package static let noticeable = Duration.milliseconds(100)

    /// A step that was run in the copy of the database.
    package struct Step: Sendable {
        package let forecast: MigrationForecast.Step
        /// The time that the step took; `nil` if it failed.
        package internal(set) var took: Duration?
        /// The number of rows that the step processed in batches, or an estimate for a step that does not run in
        /// batches. `nil` if the number is unknown, or if the step changes no rows.
        package internal(set) var rows: Int64?
        /// The longest wait that the step causes; `nil` if no other session has to wait.
        package internal(set) var wait: Wait?
    }

    /// The time for which other sessions would have waited for a step's locks.
    package struct Wait: Sendable, Hashable {
        /// The lock on an existing table for which other sessions wait. It is `nil` for a backfill in batches, which
        /// locks only rows. Pushes to the spaces of a batch then wait until the batch is done.
        package let lock: TableLock?
        /// The time from the beginning of the transaction to its commit.
        package let length: Duration
    }
}

extension MigrationRehearsal.Step {
    /// Finds the longest time for which one of the step's transactions makes other sessions wait.
    ///
    /// - Parameter transactions: the step's transactions. `held` is the time for which a transaction held its locks.
    ///   `statement` is the index of its statement, if it runs only one.
    init(_ forecast: MigrationForecast.Step, transactions: [(statement: Int?, held: Duration)]) {
        self.forecast = forecast
        let present = Set(forecast.locks.map(\.lock.table))
        let waits = transactions.compactMap { transaction -> MigrationRehearsal.Wait? in
            if case .batches = forecast.step.mode { return .init(lock: nil, length: transaction.held) }
            let statements = transaction.statement.map { [forecast.step.statements[$0]] } ?? forecast.step.statements
            let lock = statements.flatMap(\.locks).merged
                .filter { present.contains($0.table) && $0.mode.blocksWrites }
                .max { $0.mode < $1.mode }
            return lock.map { .init(lock: $0, length: transaction.held) }
        }
        wait = waits.max { $0.length < $1.length }
    }
}
