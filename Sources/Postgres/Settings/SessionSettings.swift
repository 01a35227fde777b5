/// The limits that a session asks the server to enforce on it. Settings that change the meaning of statements are the
/// same for all sessions: see `PinnedSettings`.
package struct SessionSettings: Sendable {
    /// The longest time that one statement may run; `.zero` for no limit.
    package var statementTimeout: Duration
    /// The longest time that an open transaction may be idle; `.zero` for no limit.
    package var idleInTransactionTimeout: Duration
    /// The longest time that one statement may wait for a lock; `.zero` for no limit.
    package var lockTimeout: Duration
    /// The longest time that the database server may be silent while an answer is due, or accept no bytes. After it,
    /// the session treats the connection as lost. `.zero` for no limit. It is longer than `statementTimeout`, because
    /// it is for a server that is too broken to enforce that one.
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

    /// The planner settings for `plansOnce` (each statement is planned once). All tables of the server have a key, and
    /// every statement names the space first, so reading a whole table is never worth it. A statement with ORDER BY
    /// expects an index that has this order (`KeySearch`). If there is none, PostgreSQL still sorts, but at a cost that
    /// it estimates so high that it would compile the statement first; so `jit` is off.
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
