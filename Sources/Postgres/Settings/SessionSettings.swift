/// The limits that a session asks the server to enforce on it. Settings that change the meaning of statements are the
/// same for all sessions: see `PinnedSettings`.
package struct SessionSettings: Sendable {
    /// The longest time that one statement may run; `.zero` for no limit.
    package var statementTimeout: Duration
    /// The longest time that an open transaction may be idle; `.zero` for no limit.
    package var idleInTransactionTimeout: Duration
    /// The longest time that one statement may wait for a lock; `.zero` for no limit.
    package var lockTimeout: Duration
    /// The longest time that the database server may be silent while an answer is due, or accept no bytes; `.zero` for
    /// no limit. After this time the connection counts as lost. It is longer than `statementTimeout`, because it is
    /// meant for a server that no longer enforces its own timeouts.
    package var silenceMax: Duration
    /// True if a session plans each statement only once, and prefers an index to reading a whole table. Otherwise a
    /// plan depends on the table's statistics, and so on chance: PostgreSQL may make it while the table is empty, and
    /// still use it when the table is full. With such a plan, the cascade of a large deletion once ran for minutes.
    package var plansOnce: Bool

    package init(
        statementTimeout: Duration, idleInTransactionTimeout: Duration, lockTimeout: Duration, silenceMax: Duration,
        plansOnce: Bool = false
    ) {
        self.statementTimeout = statementTimeout
        self.idleInTransactionTimeout = idleInTransactionTimeout
        self.lockTimeout = lockTimeout
        self.silenceMax = silenceMax
        self.plansOnce = plansOnce
    }

    /// The settings for sessions that serve requests. A client gives up within a minute, so no statement may run or
    /// hold its locks for longer than that. Most statements take milliseconds.
    package static let serving = SessionSettings(
        statementTimeout: .seconds(30), idleInTransactionTimeout: .seconds(30), lockTimeout: .seconds(15),
        silenceMax: .seconds(45), plansOnce: true)

    /// The settings for migrations, whose statements may rewrite a table. The migration runner limits the waits for
    /// locks itself.
    package static let migrating = SessionSettings(
        statementTimeout: .zero, idleInTransactionTimeout: .seconds(600), lockTimeout: .zero,
        silenceMax: .zero)

    /// The SET statements that apply these settings to a session, as one script.
    var script: String {
        """
        SET statement_timeout = \(statementTimeout.wholeMilliseconds);
        SET idle_in_transaction_session_timeout = \(idleInTransactionTimeout.wholeMilliseconds);
        SET lock_timeout = \(lockTimeout.wholeMilliseconds);
        \(PinnedSettings.script)
        \(plansOnce ? SessionSettings.planningOnce : "")
        """
    }

    /// The planner settings for `plansOnce`, which make PostgreSQL use indexes. Every table has a key, and every
    /// statement names the space first, so reading or sorting a whole table is never worth it.
    ///
    /// `jit` is off because an ORDER BY without an index is still sorted. The estimated cost is then so high that
    /// PostgreSQL would compile the statement first.
    private static let planningOnce = """
        SET plan_cache_mode = force_generic_plan;
        SET enable_seqscan = off;
        SET enable_sort = off;
        SET jit = off;
        """
}

extension Duration {
    /// The duration in milliseconds, rounded down. PostgreSQL takes a setting without a unit as milliseconds.
    package var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
