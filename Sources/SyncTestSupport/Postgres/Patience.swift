package import Postgres

extension PoolLimits {
    /// Returns limits of a connection pool for tests that do not examine waiting times. They allow long waits: all
    /// tests run at the same time, so it depends on the machine's load when a session is free.
    package static func patient(sessionsMax: Int, waitersMax: Int = 1000) -> PoolLimits {
        PoolLimits(sessionsMax: sessionsMax, waitersMax: waitersMax, waitMax: .seconds(300))
    }
}

extension SessionSettings {
    /// The settings of a database session without any timeout, for tests that hold a lock for a long time.
    package static var patient: SessionSettings {
        SessionSettings(
            statementTimeout: .zero, idleInTransactionTimeout: .zero, lockTimeout: .zero, silenceMax: .zero,
            plansOnce: true)
    }
}
