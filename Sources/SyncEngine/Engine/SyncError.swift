import PGStore
import PlantedBugs

/// Why a whole push or pull cannot be answered; each calls for something else from the client.
package enum SyncError: Error, Hashable, Sendable {
    /// The body is not what the endpoint takes.
    case malformed(String)
    /// More changes than one push may carry.
    case tooManyChanges(count: Int, max: Int)
    /// The records that the push names hold more than a push may read of them.
    case tooMuchToRead(bytes: Int, max: Int)
    /// More records would come back with what the push creates again than may.
    case tooManyReturning(max: Int)
    /// What would come back with what the push creates again went with each other over too many levels.
    case tooManyLevels
    /// Changes after the first of their records go through more bytes of these than a push may.
    case tooMuchRepeated(bytes: Int, max: Int)
    /// The space would hold more than it may.
    case quotaExceeded(Quota, held: Int64, more: Int64, most: Int64)
    /// What all pushes share is taken; it will not be for long.
    case busy
    /// A change was written in a version that this server does not know. Its place in the request, what is missing, and
    /// the versions that there are.
    case unknownVersion(index: Int, absence: String, known: [String])
    /// A change names what the version that it states has not, and what another shape of the same number has. Its place
    /// in the request, the version, and the shapes as they are to be stated.
    case ambiguousVersion(index: Int, version: String, known: [String])
    /// The cursor was not minted for this space by this kind of server.
    case badCursor
    /// The cursor was minted by another database, or this one was restored from a backup since.
    case epochChanged
    /// Tombstones that the cursor's device has not been told of may have been collected.
    case cursorExpired
    /// The space's quarantine is full.
    case quarantineFull
    /// A server of a newer release has pushed into the space; this one would not fill what that one added.
    case outdated
    /// The space was erased.
    case erased
    /// Somebody lost rights in the space since the caller's were read: read them again, then try again.
    case rightsChanged
    /// Changes, by their places in the request, were written in a version of which nothing is taken any more.
    case outboxClosed(changes: [Int], version: String)

    /// What of a space is counted.
    package enum Quota: String, Sendable {
        /// Those that are alive.
        case records
        /// Of their values.
        case bytes
    }
}

extension Spaces {
    /// - Parameter rights: the count of rights that the space must have; `nil` for any.
    /// - Throws: `SyncError.erased`, `SyncError.outdated`, where this server has nothing to do in the space;
    ///   `SyncError.rightsChanged`.
    func check(_ state: SpaceState, rights: Int64?) throws(SyncError) {
        // First: who was in a space that is erased is no member any more, and is told so.
        if let rights, rights != state.rights, !PlantedBug.rightsRemembered.isPlanted { throw .rightsChanged }
        if isErased(state) { throw .erased }
        if isOutdated(for: state) { throw .outdated }
    }
}
