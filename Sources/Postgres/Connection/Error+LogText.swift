extension Error {
    /// The error's text for a log, without any value from a request or a row. For an error that is not known to be
    /// safe, it is only the name of the error's type and case.
    package var logText: String {
        switch self {
        case let error as any LogSafeError: error.textForLog
        case is CancellationError: "Cancelled."
        default: kind
        }
    }

    /// The name of the error's type and, if the type is an enumeration, the name of the case.
    private var kind: String {
        let mirror = Mirror(reflecting: self)
        let type = String(reflecting: type(of: self))
        guard mirror.displayStyle == .enum else { return type }
        // A case without values has no child; its description is the case's name.
        return "\(type).\(mirror.children.first?.label ?? "\(self)")"
    }
}

/// An error that provides its own `logText`, which has no value from a request or a row.
package protocol LogSafeError: Error {
    var textForLog: String { get }
}

extension PGError: LogSafeError {
    package var textForLog: String {
        switch self {
        case .unreachable, .invalidConnectionString, .connectionLost, .commitUnknown: debugDescription
        case .rollbackFailed(let cause, let rollback):
            "\(cause.logText); then the rollback failed: \(rollback.textForLog)"
        default:
            if let report { "\(description) \(report.logText)" } else { description }
        }
    }
}
