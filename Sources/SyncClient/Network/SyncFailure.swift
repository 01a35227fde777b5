/// An error of a request to the server.
public enum SyncFailure: Error, Sendable, CustomStringConvertible {
    /// A request that got no answer. The server may have processed a push nevertheless; send it again.
    case unreachable(String)
    /// A server that is busy, or unavailable for a moment. `retryAfter` is the pause that it asks for, in seconds.
    case busy(String, retryAfter: Double?)
    /// An error answer of the server in the format `application/problem+json`, with its stable code.
    case problem(status: Int, code: String, detail: String)
    /// An answer that does not follow the protocol.
    case unexpectedAnswer(String)

    public var description: String {
        switch self {
        case .unreachable(let reason): "The server cannot be reached: \(reason)"
        case .busy(let detail, _): "The server is busy: \(detail)"
        case .problem(let status, let code, let detail): "The server answered \(status) \(code): \(detail)"
        case .unexpectedAnswer(let what): "The server's answer is not as promised: \(what)"
        }
    }

    /// The pause that the server asks for, in seconds; `nil` if it asks for none.
    var retryAfter: Double? { if case .busy(_, let seconds) = self { seconds } else { nil } }
}
