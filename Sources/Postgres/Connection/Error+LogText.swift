extension Error {
    /// What a log may keep of it: never a value from a request or a row. Of an error that is not known to be safe only
    /// what kind it is.
    package var logText: String {
        switch self {
        case let error as any LogSafeError: error.textForLog
        case is CancellationError: "Cancelled."
        default: kind
        }
    }

    /// Its type, and the case of an enumeration.
    private var kind: String {
        let mirror = Mirror(reflecting: self)
        let type = String(reflecting: type(of: self))
        guard mirror.displayStyle == .enum else { return type }
        // A case without values has no child, and is its own description.
        return "\(type).\(mirror.children.first?.label ?? "\(self)")"
    }
}

/// An error that says itself what a log may keep of it.
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
