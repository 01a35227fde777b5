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
    /// Too many records would come back with records that the push creates again.
    case tooManyReturning(max: Int)
    /// The records that would come back with records that the push creates again depend on each other over too many
    /// levels.
    case tooManyLevels
    /// The changes process more bytes of records than one push may; the first change of each record is not counted.
    case tooMuchRepeated(bytes: Int, max: Int)
    /// The space would hold more records or bytes than its quota.
    case quotaExceeded(Quota, held: Int64, more: Int64, most: Int64)
    /// A budget that all pushes share is used up; it will not be for long.
    case busy
    /// A change was written in a version that this server does not know. With the index of the change in the request,
    /// what is missing, and the known versions.
    case unknownVersion(index: Int, absence: String, known: [String])
    /// A change names an attribute or entity that the stated version does not have, and that another shape of the same
    /// number has. With the index of the change in the request, the version, and the shapes as they are to be stated.
    case ambiguousVersion(index: Int, version: String, known: [String])
    /// The cursor was not made for this space by a server of this kind.
    case badCursor
    /// The cursor was made by another database, or this database was restored from a backup since.
    case epochChanged
    /// Tombstones that the cursor's device has not received may have been collected.
    case cursorExpired
    /// The space's quarantine is full.
    case quarantineFull
    /// A server of a newer release has pushed into the space; this server would not fill what the release added.
    case outdated
    /// The space was erased.
    case erased
    /// A member lost rights in the space since the caller's rights were read: read them again, then try again.
    case rightsChanged
    /// Changes were written in a version from which no changes are accepted any more. With their indices in the
    /// request.
    case outboxClosed(changes: [Int], version: String)

    /// The quantities of a space that have a quota.
    package enum Quota: String, Sendable {
        /// The number of living records.
        case records
        /// The bytes of their values.
        case bytes
    }
}

extension Spaces {
    /// Checks that this server may work in a space with the state `state`.
    ///
    /// - Parameter revocations: the count of revocations that the space must have; `nil` for any.
    /// - Throws: `SyncError.erased` or `SyncError.outdated`, if this server may not work in the space;
    ///   `SyncError.rightsChanged`.
    func check(_ state: SpaceState, revocations: Int64?) throws(SyncError) {
        // Checked first: after an erasure, former members are no members any more, and must receive that error.
        if let revocations, revocations != state.revocations, !PlantedBug.rightsRemembered.isPlanted {
            throw .rightsChanged
        }
        if isErased(state) { throw .erased }
        if isOutdated(for: state) { throw .outdated }
    }
}
