/// The limits that a session asks the server to enforce on it. Settings that change the meaning of statements are the
/// same for all sessions: see `PinnedSettings`.
package struct SessionSettings: Sendable {
    /// The longest time that one statement may run; `.zero` for no limit.
    package var statementTimeout: Duration
    /// The longest time that an open transaction may be idle; `.zero` for no limit.
    package var idleInTransactionTimeout: Duration
    /// The longest time that one statement may wait for a lock; `.zero` for no limit.
    package var lockTimeout: Duration
    /// The longest time that the server may be silent while it owes an answer, or accept no bytes, before the session
    /// treats the connection as lost; `.zero` for no limit. It is longer than `statementTimeout`, because it is for a
    /// server that is too broken to enforce that one.
    package var silenceMax: Duration
    /// True if each statement is planned once in the session, with the indexes that its text implies. A plan that
    /// PostgreSQL makes from a table's statistics depends on chance: it may have been made while the table was empty,
    /// and is still used when the table is full. With such a plan, the cascade of a large deletion once ran for
    /// minutes.
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

    /// The settings for sessions that serve requests. The server's statements take milliseconds. A client gives up
    /// within a minute, and the server's locks should be released by then, too.
    package static let serving = SessionSettings(
        statementTimeout: .seconds(30), idleInTransactionTimeout: .seconds(30), lockTimeout: .seconds(15),
        silenceMax: .seconds(45), plansOnce: true)

    /// The settings for migrations, whose statements may rewrite a table. The migration runner limits the waits for
    /// locks itself.
    package static let migrating = SessionSettings(
        statementTimeout: .zero, idleInTransactionTimeout: .seconds(600), lockTimeout: .zero,
        silenceMax: .zero)

    /// The SET statements, as one script.
    var script: String {
        """
        SET statement_timeout = \(statementTimeout.wholeMilliseconds);
        SET idle_in_transaction_session_timeout = \(idleInTransactionTimeout.wholeMilliseconds);
        SET lock_timeout = \(lockTimeout.wholeMilliseconds);
        \(PinnedSettings.script)
        \(plansOnce ? SessionSettings.planningOnce : "")
        """
    }

    /// The planner settings for `plansOnce`. All tables of the server have a key, and every statement names the space
    /// first, so reading a whole table is never worth it. An ORDER BY in a statement expects an index (`KeySearch`). If
    /// there is none, PostgreSQL still sorts, but with a cost estimate so high that it would first compile the
    /// statement (`jit`).
    private static let planningOnce = """
        SET plan_cache_mode = force_generic_plan;
        SET enable_seqscan = off;
        SET enable_sort = off;
        SET jit = off;
        """
}

extension Duration {
    /// The duration in milliseconds, rounded down, as PostgreSQL's settings without a unit count.
    package var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
