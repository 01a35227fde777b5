/// The limits that a session asks the server to enforce on it. Settings that change the meaning of statements are the
/// same for all sessions: see `PinnedSettings`.
package struct SessionSettings: Sendable {
    /// The longest time that one statement may run; `.zero` for no limit.
    package var statementTimeout: Duration
    /// The longest time that an open transaction may be idle; `.zero` for no limit.
    package var idleInTransactionTimeout: Duration
    /// The longest time that one statement may wait for a lock; `.zero` for no limit.
    package var lockTimeout: Duration
    /// The longest time that the server may be silent while it owes an answer, or accept nothing that is sent, before
    /// the connection is given up; `.zero` for no limit. Longer than `statementTimeout`: it is for a server that can no
    /// longer enforce that.
    package var silenceMax: Duration
    /// True if each statement is planned once in the session, by the indexes that its text asks for. A plan made from a
    /// table's statistics depends on chance: it may have been made when the table was empty, and is kept while the
    /// table fills. The cascade of a large deletion ran for minutes by such a plan.
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

    /// The settings for serving requests. The server's statements take milliseconds; a client gives up within a minute,
    /// and by then the server should have released its locks too.
    package static let serving = SessionSettings(
        statementTimeout: .seconds(30), idleInTransactionTimeout: .seconds(30), lockTimeout: .seconds(15),
        silenceMax: .seconds(45), plansOnce: true)

    /// The settings for migrations, whose statements may rewrite a table. The runner limits waits for locks itself.
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

    /// Planner settings for a single plan. All tables of the server have a key, and every statement names the space
    /// first: reading a whole table never pays. An order in a statement means an index (`KeySearch`); if there is none,
    /// PostgreSQL still sorts, but estimates such a high cost for the sort that it would compile the statement first
    /// (`jit`).
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
