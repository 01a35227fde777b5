public import Foundation

/// What a store is doing about the server.
public enum SyncStatus: Sendable, Hashable {
    /// Everything is sent and read, as of a moment; `nil` where it has not synced since it was opened.
    case idle(since: Date?)
    /// It sends and reads; `pending` changes waited when it last looked.
    case syncing(SyncSummary, pending: Int)
    /// The server cannot be reached, or is busy. It goes on by itself.
    case offline(since: Date, String)
    /// It goes on when somebody has done something.
    case needsAttention(SyncAttention)
}

/// What came of syncing.
public struct SyncSummary: Sendable, Hashable {
    /// Changes that were answered.
    public var sent = 0
    /// Records that were told.
    public var received = 0
    /// Changes that were not taken as they were: see `SyncStore.conflicts`.
    public var conflicts = 0
    /// Whether there was nothing more to send or to read.
    public var isComplete = false

    mutating func add(_ other: SyncSummary) {
        sent += other.sent
        received += other.received
        conflicts += other.conflicts
        isComplete = other.isComplete
    }
}

/// Syncing does not go on until somebody has done something.
public struct SyncStopped: Error, Sendable, Hashable, CustomStringConvertible {
    public let attention: SyncAttention
    /// Where it may pass by itself, after how many seconds to try.
    public let retryAfter: Double?

    public var description: String { attention.description }
}

extension SyncAttention: CustomStringConvertible {
    public var description: String {
        switch self {
        case .signIn: "The server does not know who this is: sign in again"
        case .removed: "You are no member of this space, or no longer"
        case .forbidden(let detail): "This may not be done: \(detail)"
        case .erased: "This space was erased"
        case .updateApp(let detail, _): "This version of the app has ended: update it. \(detail)"
        case .serverTooOld(let detail): "The server does not know this version yet: \(detail)"
        case .full(let detail): "The space is full: \(detail)"
        case .fault(let detail): "The server and the app do not understand each other: \(detail)"
        }
    }
}
