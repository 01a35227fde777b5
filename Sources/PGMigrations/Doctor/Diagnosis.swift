/// What `Doctor` found.
package struct Diagnosis: Sendable {
    package internal(set) var findings: [Finding] = []
    /// What could not be looked at, and why.
    package internal(set) var unchecked: [String] = []
    /// Who looked, what it may do, and whom requests are served as.
    package internal(set) var login = ""

    package var isHealthy: Bool { !findings.contains { $0.severity == .error } }

    /// One thing that is not as it should be.
    package struct Finding: Sendable, Hashable {
        package let check: Check
        package let severity: Severity
        /// Such as `index fitiq.sd_meal (by_shade)`.
        package let object: String
        /// What is wrong with it, as a sentence.
        package let fault: String
        /// The SQL or the command that fixes it.
        package let remedy: String

        package init(_ check: Check, _ severity: Severity, _ object: String, _ fault: String, _ remedy: String) {
            (self.check, self.severity, self.object) = (check, severity, object)
            (self.fault, self.remedy) = (fault, remedy)
        }
    }

    /// How bad it is.
    package enum Severity: String, Sendable {
        /// Data is at risk, or something does not work.
        case error
        /// It works, and will not for ever, or not as well as it could.
        case warning
    }

    /// What is looked for.
    package enum Check: String, Sendable, CaseIterable {
        case version, encoding, settings, connections, clock, pooler
        case idleInTransaction = "idle-in-transaction"
        case oldTransaction = "old-transaction"
        case preparedTransaction = "prepared-transaction"
        case replicationSlot = "replication-slot"
        case transactionAge = "transaction-age"
        case invalidIndex = "invalid-index"
        case notValid = "not-valid"
        case disabledTrigger = "disabled-trigger"
        case autovacuum
        case role, wall, privileges, ledger, leftover, census
        case outOfBand = "out-of-band"
        case plan
        /// Rows hold what no device can be sent.
        case values
    }
}
