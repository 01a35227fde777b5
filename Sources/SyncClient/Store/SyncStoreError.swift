#if canImport(CSQLite)
    internal import CSQLite
#else
    internal import SQLite3
#endif

/// Why a store cannot be read or written. Nothing of the call has happened.
public struct SyncStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is in the way.
    public enum Reason: Sendable, Hashable {
        /// The disk is full: free some of it, and try again.
        case diskFull
        /// The file or its folder may not be written.
        case readOnly
        /// The file is damaged, or is no store. `SyncStore.salvage` makes a new one with what its outbox still has.
        case damaged
        /// Another process has it for longer than five seconds.
        case busy
        /// A newer release of the library has written it.
        case tooNew
        case other
    }

    public let reason: Reason
    public let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// - Parameters:
    ///   - code: of SQLite, extended or not.
    ///   - text: what SQLite says of it.
    init(_ code: Int32, _ text: String, _ path: String) {
        let advice: String
        switch code & 0xFF {
        case SQLITE_FULL: (reason, advice) = (.diskFull, "free some space, and try again")
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
            (reason, advice) = (.readOnly, "see that it and its folder may be written")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            (reason, advice) = (.damaged, "SyncStore.salvage makes a new one with what its outbox still has")
        case SQLITE_BUSY, SQLITE_LOCKED: (reason, advice) = (.busy, "another process has it; try again")
        default: (reason, advice) = (.other, "SQLite's code is \(code)")
        }
        description = "the store \(path): \(text); \(advice)"
    }
}
