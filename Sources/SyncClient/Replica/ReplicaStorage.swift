package import WireFormats

/// The storage of a device's records, outbox and state for a `Replica`. Each mutating call of a replica must be one
/// transaction of its storage.
///
/// `SQLiteStorage` stores on disk. `MemoryStorage` loses its content when its process ends.
package protocol ReplicaStorage {
    var memo: ReplicaMemo { get set }

    // Records as the server sent them.

    func record(_ key: RecordKey) throws -> KnownRecord?
    /// Calls `body` with all records of an entity, including the deleted ones, in the order of their ids.
    func forEachRecord(of entity: String, _ body: (RecordID, KnownRecord) throws -> Void) throws
    mutating func put(_ key: RecordKey, _ record: KnownRecord) throws
    /// Removes the records that were last seen in an initial sync (a reading of the whole space) whose number is less
    /// than `initialSync`. Rows of deleted records stay.
    mutating func removeRecords(before initialSync: Int64) throws
    /// Removes the tombstones (rows of deleted records) whose stamp is earlier than `stamp`.
    mutating func removeTombstones(before stamp: Int64) throws
    mutating func removeAllRecords() throws
    /// Replaces each record by the records that `body` returns for it.
    mutating func rewriteRecords(
        _ body: (RecordKey, KnownRecord) throws -> [(key: RecordKey, record: KnownRecord)]
    ) throws

    // The outbox: the user's changes.

    mutating func append(
        _ key: RecordKey, _ operation: OutgoingChange.Operation, stamp: Int64, version: String, json: String,
        isMassDeletion: Bool
    ) throws
    /// Returns the oldest changes in the outbox, at most `count`.
    func pending(first count: Int) throws -> [PendingChange]
    func pending(at position: Int64) throws -> PendingChange?
    func pending(of key: RecordKey) throws -> [PendingChange]
    /// Returns the ids of the entity's records for which the outbox has changes that were made in `version`.
    func pendingKeys(of entity: String, version: String) throws -> Set<RecordID>
    /// The latest stamp of the changes in the outbox; `nil` if it is empty.
    var latestPendingStamp: Int64? { get throws }
    /// True if the outbox has deletions.
    var hasPendingDeletions: Bool { get throws }
    /// Removes the changes at the given positions from the outbox. The positions ascend.
    ///
    /// - Returns: the removed changes; positions without a change are left out.
    mutating func takePending(_ positions: [Int64]) throws -> [PendingChange]

    // Changes by an older version of the app, as the update has migrated them.

    func overlay(_ key: RecordKey) throws -> Overlay?
    func overlayKeys(of entity: String) throws -> Set<RecordID>
    mutating func setOverlay(_ key: RecordKey, _ overlay: Overlay?) throws
    /// Removes the overlays that are no longer needed. (An overlay is the effect of unsent changes from before an
    /// update of the app.) An overlay is needed while its record has unsent changes of another version than `version`.
    mutating func removeSettledOverlays(version: String) throws
    mutating func removeOverlays() throws

    // Records from before the server was restored.

    /// Copies each record, so that the copy can be offered to a server that was restored from a backup. If the record
    /// was copied before, the copy with the later stamp stays.
    mutating func setAside() throws
    /// Returns at most `count` of the copies of records that are to be offered to a restored server. Each copy comes
    /// with the version in which it is stored.
    func aside(first count: Int) throws -> [(key: RecordKey, version: String, record: KnownRecord)]
    mutating func removeAside(_ keys: [RecordKey]) throws

    // Conflicts for the user.

    mutating func append(_ conflict: SyncConflict) throws
    func conflicts() throws -> [SyncConflict]
    mutating func removeConflict(_ number: Int64) throws
}

/// The effect that unsent changes from before an update of the app have on a record. The user sees it until the server
/// has answered these changes and the device has read the result.
package enum Overlay: Sendable, Hashable {
    case deleted
    /// The values of the attributes that differ from the stored record, by name.
    case fields([String: Value])
}
