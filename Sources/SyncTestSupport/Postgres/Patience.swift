package import Postgres

extension PoolLimits {
    /// For tests that ask nothing about how long a caller waits: all others run beside them, and the machine decides
    /// when a session comes free.
    package static func patient(sessionsMax: Int, waitersMax: Int = 1000) -> PoolLimits {
        PoolLimits(sessionsMax: sessionsMax, waitersMax: waitersMax, waitMax: .seconds(300))
    }
}

extension SessionSettings {
    /// For tests that hold a lock for as long as they like.
    package static var patient: SessionSettings {
        SessionSettings(
            statementTimeout: .zero, idleInTransactionTimeout: .zero, lockTimeout: .zero, silenceMax: .zero,
            plansOnce: true)
    }
}
