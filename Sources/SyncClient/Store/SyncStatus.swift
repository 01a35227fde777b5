public import Foundation

/// The state of syncing between a store and its server.
public enum SyncStatus: Sendable, Hashable {
    /// Everything was sent and read at the time `since`; `nil` if that has not happened since the store was opened. If
    /// a deadline has ended the latest sync early, some changes may still wait.
    case idle(since: Date?)
    /// The store is sending and reading. `pending` is the number of changes in the outbox when the current request
    /// began.
    case syncing(SyncSummary, pending: Int)
    /// The server cannot be reached, or is busy. `since` is the time of the first failed attempt in a row.
    /// `SyncStore.run` tries again by itself.
    case offline(since: Date, String)
    /// Syncing has stopped until the user or the app does something.
    case needsAttention(SyncAttention)
}

/// Counts of what one or more requests sent and received.
public struct SyncSummary: Sendable, Hashable {
    /// The number of changes that the server has answered.
    public var sent = 0
    /// The number of records that the server sent.
    public var received = 0
    /// The number of changes that the server has not accepted unchanged: see `SyncStore.conflicts`.
    public var conflicts = 0
    /// True if nothing was left to send or to read.
    public var isComplete = false

    mutating func add(_ other: SyncSummary) {
        sent += other.sent
        received += other.received
        conflicts += other.conflicts
        isComplete = other.isComplete
    }
}

/// An error that stops syncing until the user or the app has done something.
public struct SyncStopped: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, for the user.
    public let attention: SyncAttention
    /// The time in seconds after which to try again, if the cause may pass by itself.
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
