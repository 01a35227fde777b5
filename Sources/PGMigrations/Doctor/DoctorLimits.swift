import Postgres

/// Thresholds from which `Doctor` reports an age as too old or a number as too low.
package struct DoctorLimits: Sendable {
    /// The longest time that a transaction may be open.
    package var transactionMax: Duration
    /// The greatest age that a row's transaction number may have, in transactions.
    package var transactionAgeMax: Int64
    /// The oldest supported major version of PostgreSQL.
    package var majorMin: Int

    /// Creates limits with defaults.
    ///
    /// - Parameters:
    ///   - transactionMax: five minutes by default. The server's own transactions take milliseconds, a dump or an index
    ///     build takes minutes.
    ///   - transactionAgeMax: one billion by default, about half of the age at which transaction numbers wrap around.
    ///     PostgreSQL itself forces vacuum from 200 million.
    package init(
        transactionMax: Duration = .seconds(300), transactionAgeMax: Int64 = 1_000_000_000,
        majorMin: Int = PostgresInstallation.majorMin
    ) {
        self.transactionMax = transactionMax
        self.transactionAgeMax = transactionAgeMax
        self.majorMin = majorMin
    }
}
