import Postgres

/// From where on `Doctor` calls something too old or too few.
package struct DoctorLimits: Sendable {
    /// The longest that a transaction may be open.
    package var transactionMax: Duration
    /// The oldest that a row's transaction number may be, in transactions.
    package var transactionAgeMax: Int64
    /// The oldest major version of PostgreSQL.
    package var majorMin: Int

    /// - Parameters:
    ///   - transactionMax: our own take milliseconds, a dump or an index build minutes.
    ///   - transactionAgeMax: half of what there is; PostgreSQL begins to hurry at 200 million.
    package init(
        transactionMax: Duration = .seconds(300), transactionAgeMax: Int64 = 1_000_000_000,
        majorMin: Int = PostgresInstallation.majorMin
    ) {
        self.transactionMax = transactionMax
        self.transactionAgeMax = transactionAgeMax
        self.majorMin = majorMin
    }
}
