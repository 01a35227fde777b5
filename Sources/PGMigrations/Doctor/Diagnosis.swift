/// The findings of one run of `Doctor`.
package struct Diagnosis: Sendable {
    package internal(set) var findings: [Finding] = []
    /// The checks that could not be made, each with its reason.
    package internal(set) var unchecked: [String] = []
    /// A sentence that names the database login, its privileges and the role in which requests are served.
    package internal(set) var login = ""

    package var isHealthy: Bool { !findings.contains { $0.severity == .error } }

    /// One fault that was found.
    package struct Finding: Sendable, Hashable {
        package let check: Check
        package let severity: Severity
        /// The faulty object, such as `index fitiq.sd_meal (by_shade)`.
        package let object: String
        /// A sentence that describes the fault.
        package let fault: String
        /// The SQL statement or the command that fixes the fault.
        package let remedy: String

        package init(_ check: Check, _ severity: Severity, _ object: String, _ fault: String, _ remedy: String) {
            (self.check, self.severity, self.object) = (check, severity, object)
            (self.fault, self.remedy) = (fault, remedy)
        }
    }

    /// The severity of a finding.
    package enum Severity: String, Sendable {
        /// Data is at risk, or something does not work.
        case error
        /// Everything works now, but something will fail later, or works less well than it could.
        case warning
    }

    /// The checks that `Doctor` makes, one case for each kind of finding.
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
        /// Rows contain values that cannot be sent to any device.
        case values
    }
}
