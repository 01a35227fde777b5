/// How long a migration run waits, and how often it tries.
package struct MigratorLimits: Sendable {
    /// The longest that one statement may wait for a lock, and so make everybody behind it wait.
    package var lockTimeout: Duration
    /// How often a file is tried before a run gives up on its locks.
    package var attemptsMax: Int
    /// The pause before the second attempt; doubles from there, jittered.
    package var pauseMin: Duration
    package var pauseMax: Duration
    /// The longest to wait for another run to finish.
    package var runnerWaitMax: Duration
    /// The longest that one statement of a transaction may run, because others may wait for its locks.
    package var statementMax: Duration
    /// What part of its time a backfill works; the rest of it, it leaves the disks to others.
    package var backfillShare: Double
    /// A backfill waits while a replica is further behind than this.
    package var replicaLagMax: Duration

    /// - Parameters:
    ///   - lockTimeout: an ALTER TABLE that waits stops every new reader of the table, so a second at a time.
    ///   - attemptsMax: with the pauses, about a minute.
    ///   - runnerWaitMax: a rolling deploy's other instance may be rewriting a table.
    ///   - statementMax: longer under a lock is an outage; a backfill in batches needs none.
    ///   - backfillShare: half, so that a backfill takes twice as long as it must and nobody notices it.
    ///   - replicaLagMax: readers of a replica notice more.
    package init(
        lockTimeout: Duration = .seconds(1), attemptsMax: Int = 15, pauseMin: Duration = .milliseconds(100),
        pauseMax: Duration = .seconds(5), runnerWaitMax: Duration = .seconds(600),
        statementMax: Duration = .seconds(900), backfillShare: Double = 0.5, replicaLagMax: Duration = .seconds(10)
    ) {
        self.lockTimeout = lockTimeout
        self.attemptsMax = attemptsMax
        self.pauseMin = pauseMin
        self.pauseMax = pauseMax
        self.runnerWaitMax = runnerWaitMax
        self.statementMax = statementMax
        self.backfillShare = backfillShare
        self.replicaLagMax = replicaLagMax
    }

    /// The pause after `attempt` (from 1) failed: between half and all of a doubling length.
    func pause(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let length = min(pauseMax, pauseMin * (1 << min(attempt - 1, 16)))
        return length * Double.random(in: 0.5...1, using: &generator)
    }
}
