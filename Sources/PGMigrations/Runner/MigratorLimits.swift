/// The limits of a migration run: timeouts, attempts and pauses.
package struct MigratorLimits: Sendable {
    /// The longest time for which one statement may wait for a lock. Sessions that need the same lock later wait behind
    /// this statement.
    package var lockTimeout: Duration
    /// The number of times that a step is tried if it cannot get its locks. After the last attempt, the run fails.
    package var attemptsMax: Int
    /// The pause before the second attempt; it doubles from there, with jitter.
    package var pauseMin: Duration
    package var pauseMax: Duration
    /// The longest time to wait for another run to finish.
    package var runnerWaitMax: Duration
    /// The longest time for which one statement of a transaction may run, because others may wait for its locks.
    package var statementMax: Duration
    /// The fraction of its time, from 0 to 1, in which a backfill works. In the rest it pauses, so that others can use
    /// the disks.
    package var backfillShare: Double
    /// The replica lag above which a backfill waits.
    package var replicaLagMax: Duration

    /// Creates limits with defaults.
    ///
    /// - Parameters:
    ///   - lockTimeout: one second by default, because an ALTER TABLE that waits stops every new reader of the table.
    ///   - attemptsMax: 15 attempts at a step by default. With the pauses between them, they take about a minute.
    ///   - runnerWaitMax: ten minutes by default, enough for another instance in a rolling deployment to rewrite a
    ///     table.
    ///   - statementMax: 15 minutes by default. Other sessions may have to wait for the statement's locks for that
    ///     long.
    ///   - backfillShare: half by default. A backfill then takes twice as long, but does not slow down other work.
    ///   - replicaLagMax: ten seconds by default, a lag that readers of a replica do not notice yet.
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

    /// Returns the pause after the failed attempt number `attempt` (from 1): a random length between half and all of a
    /// limit that doubles with each attempt.
    func pause(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let length = min(pauseMax, pauseMin * (1 << min(attempt - 1, 16)))
        return length * Double.random(in: 0.5...1, using: &generator)
    }
}
