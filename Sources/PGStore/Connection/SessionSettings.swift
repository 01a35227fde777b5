/// The limits that a session asks the server to enforce on it.
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

    package init(
        statementTimeout: Duration, idleInTransactionTimeout: Duration, lockTimeout: Duration, silenceMax: Duration
    ) {
        self.statementTimeout = statementTimeout
        self.idleInTransactionTimeout = idleInTransactionTimeout
        self.lockTimeout = lockTimeout
        self.silenceMax = silenceMax
    }

    /// For serving requests. Our statements take milliseconds; a client gives up within a minute, and by then the
    /// server should have let go too.
    package static let serving = SessionSettings(
        statementTimeout: .seconds(30), idleInTransactionTimeout: .seconds(30), lockTimeout: .seconds(15),
        silenceMax: .seconds(45))

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
        SET TimeZone = 'UTC';
        """
    }
}

extension Duration {
    /// Rounded down, as PostgreSQL's settings without a unit count.
    var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
