extension PGError {
    /// Creates the case that belongs to the SQLSTATE of a report. The codes are those of the PostgreSQL manual,
    /// appendix A "PostgreSQL Error Codes".
    package init(_ report: ServerReport) {
        let constraint = report.constraint ?? ""
        switch report.sqlState {
        case "40001": self = .serialization(report)
        case "40P01": self = .deadlock(report)
        case "55P03": self = .lockTimeout(report)
        case "57014": self = .statementTimeout(report)
        case "53300": self = .tooManyConnections(report)
        // disk_full; io_error, which some file systems report instead.
        case "53100", "58030": self = .diskFull(report)
        case "23505": self = .uniqueViolation(constraint: constraint, report)
        case "42501": self = .insufficientPrivilege(report)
        case "25006": self = .readOnly(report)
        // feature_not_supported; this one message means that a prepared statement outlived its table's shape.
        case "0A000" where report.message.hasPrefix("cached plan must not change"): self = .stalePlan(report)
        // admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped; idle_in_transaction and
        // idle_session timeouts.
        case "57P01", "57P02", "57P03", "57P04", "57P05", "25P03":
            self = .connectionLost(reason: "[\(report.sqlState)] \(report.message)")
        case let state where state.hasPrefix("08"):
            self = .connectionLost(reason: "[\(report.sqlState)] \(report.message)")
        // insufficient_resources, out_of_memory, configuration_limit_exceeded.
        case let state where state.hasPrefix("53"): self = .outOfResources(report)
        case let state where state.hasPrefix("22"): self = .invalidInput(report)
        case let state where state.hasPrefix("23"): self = .constraintViolation(constraint: constraint, report)
        default: self = .statement(report)
        }
    }
}
