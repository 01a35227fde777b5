#if canImport(CSQLite)
    internal import CSQLite
#else
    internal import SQLite3
#endif

/// An error of a store that cannot be read or written. The call that throws it has changed nothing.
public struct SyncStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cause of the failure.
    public enum Reason: Sendable, Hashable {
        /// A full disk: free some space, and try again.
        case diskFull
        /// A file or a folder that is not writable.
        case readOnly
        /// A file that is damaged or is not a store. `SyncStore.salvage` creates a new store with what can be read of
        /// its outbox.
        case damaged
        /// A file that another process has locked for longer than five seconds.
        case busy
        /// A file that was written by a newer release of the library.
        case tooNew
        /// Any other failure; the description has SQLite's code.
        case other
    }

    /// The cause, by which the app can decide what to do.
    public let reason: Reason
    public let description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }

    /// Makes an error from a result code of SQLite.
    ///
    /// - Parameters:
    ///   - code: the result code of SQLite, extended or not.
    ///   - text: SQLite's message.
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
