import PGStore
import PlantedBugs

/// The reason why a whole push or pull cannot be answered. Each one requires another reaction of the client.
package enum SyncError: Error, Hashable, Sendable {
    /// The body does not have the form that the endpoint accepts.
    case malformed(String)
    /// The push has more changes than it may.
    case tooManyChanges(count: Int, max: Int)
    /// The records that the push names have more bytes than one push may read.
    case tooMuchToRead(bytes: Int, max: Int)
    /// The push would restore too many records. It creates deleted records again, and the records that were deleted
    /// together with these would be restored, too.
    case tooManyReturning(max: Int)
    /// The push creates deleted records again, but the records that were deleted with them cannot be restored. They
    /// depend on each other over too many levels.
    case tooManyLevels
    /// Merging the changes would process more bytes of records than one push may. A record's size counts for each of
    /// its changes but the first.
    case tooMuchRepeated(bytes: Int, max: Int)
    /// The space would have more records or bytes than its quota. Contains the quantity, its value before the push, its
    /// growth by the push, and the quota.
    case quotaExceeded(Quota, held: Int64, more: Int64, most: Int64)
    /// A budget that all pushes share is used up for the moment: the client tries again soon.
    case busy
    /// A change was written in a version that this server does not know. Contains the index of the change in the
    /// request, a message that says what is missing, and the known versions.
    case unknownVersion(index: Int, absence: String, known: [String])
    /// A change uses the name of an attribute or entity that the stated version does not have. Another shape of the app
    /// has the same version number, and does have the name.
    ///
    /// Contains the index of the change in the request, the version, and the names by which requests must state these
    /// shapes.
    case ambiguousVersion(index: Int, version: String, known: [String])
    /// The cursor is not one that this server makes, or it belongs to another space.
    case badCursor
    /// The cursor was made by another database, or this database was restored from a backup after the cursor was made.
    case epochChanged
    /// Tombstones that the cursor's device has not received may have been collected.
    case cursorExpired
    /// The space's quarantine is full.
    case quarantineFull
    /// A server of a newer release has pushed into the space. This server would not write the columns that the release
    /// added.
    case outdated
    /// The space was erased.
    case erased
    /// This database does not serve the space: another one does, or the space is being moved to another.
    case elsewhere
    /// This server cannot open the database that serves the space.
    case unreachable
    /// A member lost rights in the space after the caller's rights were read. The service reads the rights again, then
    /// tries again.
    case rightsChanged
    /// Changes were written in a version from which no changes are accepted any more. Contains their indices in the
    /// request.
    case outboxClosed(changes: [Int], version: String)

    /// The quantities of a space that have a quota.
    package enum Quota: String, Sendable {
        /// The number of living records.
        case records
        /// The bytes of the values of living records.
        case bytes
    }
}

extension Spaces {
    /// Checks that this server may read and write a space with this state.
    ///
    /// - Parameter revocations: the count of revocations (withdrawals of members' rights) that the space had when the
    ///   caller's rights were read; `nil` if it is not checked.
    /// - Throws: `SyncError.elsewhere`; `SyncError.erased`; `SyncError.outdated`; `SyncError.rightsChanged`, if the
    ///   space has another count now.
    func check(_ state: SpaceState, revocations: Int64?) throws(SyncError) {
        // Checked first: a row of a space that was moved away is no longer true.
        if !state.isHere { throw .elsewhere }
        // Checked next: after an erasure, former members are no members any more, and must receive that error.
        // A space's own database may be told of a revocation a moment after the directory has counted it. A negative
        // number is of an erased space.
        if let revocations, !(0...revocations).contains(state.revocations), !PlantedBug.rightsRemembered.isPlanted {
            throw .rightsChanged
        }
        if isErased(state) { throw .erased }
        if isOutdated(for: state) { throw .outdated }
    }
}
