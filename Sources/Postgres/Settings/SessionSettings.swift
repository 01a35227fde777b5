/// The limits that a session asks the server to enforce on it. What changes the meaning of statements is the same for
/// all: see `PinnedSettings`.
package struct SessionSettings: Sendable {
    /// The longest that one statement may run; `.zero` for no limit.
    package var statementTimeout: Duration
    /// The longest that an open transaction may wait for us; `.zero` for no limit.
    package var idleInTransactionTimeout: Duration
    /// The longest that one statement may wait for a lock; `.zero` for no limit.
    package var lockTimeout: Duration
    /// The longest that the server may be silent while it owes us an answer, or take nothing of what we send, before we
    /// give the connection up; `.zero` for no limit. Longer than `statementTimeout`: it is for a server that can no
    /// longer keep that.
    package var silenceMax: Duration
    /// Whether each statement is planned once in the session and by the indexes that its text asks for. A plan that
    /// is made of a table's statistics is good or bad luck: it may have been made of an empty table, and is kept while
    /// that fills. The cascade of a large deletion ran for minutes by such a plan.
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

    /// For serving requests. Our statements take milliseconds; a client gives up within a minute, and by then the
    /// server should have let go too.
    package static let serving = SessionSettings(
        statementTimeout: .seconds(30), idleInTransactionTimeout: .seconds(30), lockTimeout: .seconds(15),
        silenceMax: .seconds(45), plansOnce: true)

    /// For migrations, whose statements may rewrite a table. They bound their waits for locks themselves.
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

    /// All our tables have a key, and every statement names the space first: it never pays to read a whole table. An
    /// order in a statement means an index (`KeySearch`); where there is none, PostgreSQL sorts all the same, but takes
    /// that for so dear that it would compile the statement first (`jit`).
    private static let planningOnce = """
        SET plan_cache_mode = force_generic_plan;
        SET enable_seqscan = off;
        SET enable_sort = off;
        SET jit = off;
        """
}

extension Duration {
    /// Rounded down, as PostgreSQL's settings without a unit count.
    package var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
