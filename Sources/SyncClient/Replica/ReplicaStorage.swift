public import WireFormats

/// Where a device keeps what `Replica` decides. Each step of a replica is one transaction of it.
///
/// `SQLiteStorage` is the one on disk; `MemoryStorage` forgets with its process.
public protocol ReplicaStorage {
    var memo: ReplicaMemo { get set }

    // What the server told.

    func record(_ key: RecordKey) throws -> KnownRecord?
    /// Living and deleted ones of an entity, in the order of their ids.
    func forEachRecord(of entity: String, _ body: (RecordID, KnownRecord) throws -> Void) throws
    mutating func put(_ key: RecordKey, _ record: KnownRecord) throws
    /// Removes the living records that no walk since `walk` has named.
    mutating func removeRecords(before walk: Int64) throws
    /// Removes deleted records whose stamp is less.
    mutating func removeTombstones(before stamp: Int64) throws
    mutating func removeAllRecords() throws
    /// Has other records instead of all: what `body` makes of each.
    mutating func rewriteRecords(
        _ body: (RecordKey, KnownRecord) throws -> [(key: RecordKey, record: KnownRecord)]
    ) throws

    // What the user did.

    mutating func append(
        _ key: RecordKey, _ operation: OutgoingChange.Operation, stamp: Int64, version: String, json: String,
        isMassDeletion: Bool
    ) throws
    /// The oldest changes that may be sent, at most `count`.
    func pending(first count: Int) throws -> [PendingChange]
    func pending(at place: Int64) throws -> PendingChange?
    func pending(of key: RecordKey) throws -> [PendingChange]
    /// The records of an entity that have pending changes of the version.
    func pendingKeys(of entity: String, version: String) throws -> Set<RecordID>
    /// The latest stamp of the changes that wait.
    var latestPendingStamp: Int64? { get throws }
    /// Records that the user has deleted and the server has not yet.
    var hasPendingDeletions: Bool { get throws }
    /// Removes changes, of ascending places.
    ///
    /// - Returns: those that were there.
    mutating func takePending(_ places: [Int64]) throws -> [PendingChange]

    // What an older version of the app did, as the update has migrated it.

    func overlay(_ key: RecordKey) throws -> Overlay?
    func overlayKeys(of entity: String) throws -> Set<RecordID>
    mutating func setOverlay(_ key: RecordKey, _ overlay: Overlay?) throws
    /// Removes the overlays of records that have no pending changes of versions other than `version`.
    mutating func removeSettledOverlays(version: String) throws
    mutating func removeOverlays() throws

    // What was known before the server was restored.

    /// Copies all records to what is set aside; of one that is there already, the later.
    mutating func setAside() throws
    /// The first records that are set aside, at most `count`, each with the version that it is in.
    func aside(first count: Int) throws -> [(key: RecordKey, version: String, record: KnownRecord)]
    mutating func removeAside(_ keys: [RecordKey]) throws

    // What the user should know.

    mutating func append(_ conflict: SyncConflict) throws
    func conflicts() throws -> [SyncConflict]
    mutating func removeConflict(_ number: Int64) throws
}

/// What changes of an older version of the app have made of a record, and the server has not told yet.
public enum Overlay: Sendable, Hashable {
    case deleted
    /// What reads otherwise than the record alone.
    case fields([String: Value])
}
