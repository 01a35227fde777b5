public import Foundation

/// The state of syncing between a store and its server.
public enum SyncStatus: Sendable, Hashable {
    /// A state without a running sync. `since` is the latest time at which everything had been sent and read; `nil` if
    /// that has not happened since the store was opened. If a deadline ended the latest sync early, some changes may
    /// still wait.
    case idle(since: Date?)
    /// A state in which the store is sending and reading. The summary counts the current sync so far; `pending` is the
    /// number of changes in the outbox when the current request began.
    case syncing(SyncSummary, pending: Int)
    /// A state in which the server cannot be reached, or is busy. `since` is the time of the first failed attempt since
    /// the last successful one; the text describes the latest failure. `SyncStore.run` tries again by itself.
    case offline(since: Date, String)
    /// A stop until the user or the app does something about the given cause.
    case needsAttention(SyncAttention)
}

/// Counts of the changes and records that one or more requests sent and received.
public struct SyncSummary: Sendable, Hashable {
    /// The number of changes that the server has answered.
    public var sent = 0
    /// The number of records that the server sent.
    public var received = 0
    /// The number of changes that did not take full effect, which `SyncStore.conflicts` lists.
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
    /// The reason, which the app can explain to the user.
    public let attention: SyncAttention
    /// The time in seconds after which `SyncStore.run` tries again, because the cause may pass by itself. If it is
    /// `nil`, `run` waits until it is woken, such as by `syncNow` or `write`.
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
