package import PGStore
import Postgres
package import SQLText

/// What became of the pending files in a copy of the database.
package struct MigrationRehearsal: Sendable {
    /// What was copied, in bytes; 0 where nothing is pending and so nothing was.
    package internal(set) var bytes: Int64 = 0
    package internal(set) var copying = Duration.zero
    /// In the order in which they were run, up to the one that failed.
    package internal(set) var steps: [Step] = []
    /// Contract steps that were not rehearsed.
    package internal(set) var held: [MigrationRun.Held] = []
    /// What no device could be sent of the rows afterwards.
    package internal(set) var unsendable: [UnsendableValues.Finding] = []
    /// Why the files would not go through; `nil` where they would.
    package internal(set) var failure: String?

    /// Longer than this is worth a word: a batch of a backfill, too, is kept below it.
    package static let noticeable = Duration.milliseconds(100)

    /// A step that was run in the copy.
    package struct Step: Sendable {
        package let forecast: MigrationForecast.Step
        /// `nil` where it failed.
        package internal(set) var took: Duration?
        /// How many rows its batches went through; of other changes, about.
        package internal(set) var rows: Int64?
        /// The longest wait that it meant; `nil` where nobody has to wait.
        package internal(set) var wait: Wait?
    }

    /// For how long others would have waited for a step's locks.
    package struct Wait: Sendable, Hashable {
        /// On a table that is there already; `nil` for the rows of a batch, for which pushes to its spaces wait.
        package let lock: TableLock?
        /// From the beginning of a transaction to its commit.
        package let length: Duration
    }
}

extension MigrationRehearsal.Step {
    /// - Parameter transactions: how long each of its transactions was; the place of its statement, where it is of one.
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
