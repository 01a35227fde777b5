/// Why an exchange with the server failed.
public enum SyncFailure: Error, Sendable, CustomStringConvertible {
    /// No answer came. Whether a push took effect is not known; send it again.
    case unreachable(String)
    /// The server is busy, or away for a moment.
    case busy(String, retryAfter: Double?)
    /// The server's `application/problem+json`, by its stable code.
    case problem(status: Int, code: String, detail: String)
    /// The answer is not what the protocol promises.
    case unexpectedAnswer(String)

    public var description: String {
        switch self {
        case .unreachable(let reason): "The server cannot be reached: \(reason)"
        case .busy(let detail, _): "The server is busy: \(detail)"
        case .problem(let status, let code, let detail): "The server answered \(status) \(code): \(detail)"
        case .unexpectedAnswer(let what): "The server's answer is not as promised: \(what)"
        }
    }

    /// The seconds that the server asks to wait.
    var retryAfter: Double? { if case .busy(_, let seconds) = self { seconds } else { nil } }
}
