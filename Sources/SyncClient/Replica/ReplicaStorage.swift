package import WireFormats

/// The storage of a device's records, outbox and state for `Replica`. Each step of a replica must be one transaction of
/// the storage.
///
/// `SQLiteStorage` stores on disk. `MemoryStorage` loses its content when its process ends.
package protocol ReplicaStorage {
    var memo: ReplicaMemo { get set }

    // Records as the server sent them.

    func record(_ key: RecordKey) throws -> KnownRecord?
    /// Calls `body` with all records of an entity, including the deleted ones, in the order of their ids.
    func forEachRecord(of entity: String, _ body: (RecordID, KnownRecord) throws -> Void) throws
    mutating func put(_ key: RecordKey, _ record: KnownRecord) throws
    /// Removes the existing records that have not been part of an initial sync since the one with the number
    /// `initialSync`.
    mutating func removeRecords(before initialSync: Int64) throws
    /// Removes deleted records with an earlier stamp.
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
    /// Returns the ids of an entity's records that have pending changes of the version.
    func pendingKeys(of entity: String, version: String) throws -> Set<RecordID>
    /// The latest stamp of the changes in the outbox; `nil` if it is empty.
    var latestPendingStamp: Int64? { get throws }
    /// True if the outbox has deletions.
    var hasPendingDeletions: Bool { get throws }
    /// Removes changes from the outbox, given by ascending positions.
    ///
    /// - Returns: the changes that were there.
    mutating func takePending(_ positions: [Int64]) throws -> [PendingChange]

    // Changes by an older version of the app, as the update has migrated them.

    func overlay(_ key: RecordKey) throws -> Overlay?
    func overlayKeys(of entity: String) throws -> Set<RecordID>
    mutating func setOverlay(_ key: RecordKey, _ overlay: Overlay?) throws
    /// Removes the overlays of records that have no pending changes of versions other than `version`.
    mutating func removeSettledOverlays(version: String) throws
    mutating func removeOverlays() throws

    // Records from before the server was restored.

    /// Copies all records to a set beside them, for a restored server. If a record was copied before, the newer copy
    /// replaces the older one.
    mutating func setAside() throws
    /// Returns the first records that are put aside, at most `count`, each with the version in which it is stored.
    func aside(first count: Int) throws -> [(key: RecordKey, version: String, record: KnownRecord)]
    mutating func removeAside(_ keys: [RecordKey]) throws

    // Conflicts for the user.

    mutating func append(_ conflict: SyncConflict) throws
    func conflicts() throws -> [SyncConflict]
    mutating func removeConflict(_ number: Int64) throws
}

/// The effect that unsent changes of an older version of the app have on a record, until the server sends the record.
package enum Overlay: Sendable, Hashable {
    case deleted
    /// The attributes that differ from the stored record.
    case fields([String: Value])
}
