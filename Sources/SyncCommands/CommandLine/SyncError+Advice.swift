import Operations
import SyncEngine
import SyncServer

extension SyncError {
    /// Advice for an operator on how to resolve the error; `nil` for errors that do not occur in commands.
    var advice: String? {
        switch self {
        case .erased: "The space was erased. \(SpaceError.erasedAdvice)"
        case .outdated:
            "A server of a newer release has written into the space. Do this with that release’s program: this one "
                + "would not fill what that one has added."
        case .quarantineFull: "The space’s quarantine is full. See what it holds with ‘syncserver quarantine list’."
        case .quotaExceeded(let quota, let held, let more, let most):
            "The space would have more than it may: \(held) \(quota.rawValue) and \(more) more are beyond \(most). "
                + "What was done by then stays. Raise it with ‘syncserver quota set’, and do it again."
        default: nil
        }
    }
}
