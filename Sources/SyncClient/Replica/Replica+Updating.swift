import PlantedBugs
import WireFormats

/// The migration of a store after an update of the app.
extension Replica {
    /// Migrates the stored records to this build's version. The outbox stays as it is, because each change states its
    /// version.
    ///
    /// The records are migrated through all versions between, as by SwiftData's lightweight migration. The server
    /// assumes this. If the plan's conversions give a record another value, the server sends that value with the next
    /// pages.
    mutating func migrate() throws {
        let former = storage.memo.version
        guard let from = schema.index(of: former),
            let before = try? SyncSchema(
                app: schema.app, history: Array(schema.history[...from]))
        else {
            // The store is of a newer version, or of a shape that this build does not know.
            try dropRecords()
            storage.memo.version = schema.header
            return
        }
        // An initial sync under way reads the older version's records, so it begins again.
        if storage.memo.isInitialSyncRunning || storage.memo.recovery != .none {
            storage.memo.cursor = nil
            storage.memo.isInitialSyncRunning = false
        }
        if storage.memo.recovery == .offering { storage.memo.recovery = .reading }
        let shown = try shownOfPending(in: before)
        let migration = LightweightMigration(Array(schema.history[from...]))
        let kinds = schema.kinds
        try storage.rewriteRecords { key, record in
            if PlantedClientBug.migrationSkipped.isPlanted {
                return kinds[key.entity] == nil ? [] : [(key, record)]
            }
            return migration.migrated(key, record)
        }
        try storage.removeOverlays()
        for (key, fields) in shown {
            try overlay(key, fields, migration)
        }
        storage.memo.version = schema.header
    }

    /// Returns the records with unsent changes, as the older version of the app showed them. Each record is given as
    /// its key and its values; the values are `nil` if the record is deleted.
    private func shownOfPending(in before: SyncSchema) throws -> [(RecordKey, [String: Value]?)] {
        let old = OlderView(storage: storage, schema: before)
        return try old.edited().map { ($0, try old.shown($0)) }
    }

    private mutating func overlay(
        _ key: RecordKey, _ shown: [String: Value]?, _ migration: LightweightMigration
    ) throws {
        guard let shown else {
            for name in migration.names(of: key.entity) {
                try storage.setOverlay(RecordKey(entity: name, id: key.id), .deleted)
            }
            return
        }
        let whole = KnownRecord(fields: shown, stamp: 1, created: 1, initialSync: 0)
        for (key, record) in migration.migrated(key, whole) {
            let base = try storage.record(key)?.fields
            let others = (record.fields ?? [:]).filter { base?[$0.key] != $0.value }
            if base == nil || !others.isEmpty { try storage.setOverlay(key, .fields(others)) }
        }
    }

    /// Makes the device read the space again from its beginning if the stored position is damaged.
    ///
    /// A malformed cursor is dropped. If the stored number of initial syncs (readings of the whole space) is out of
    /// range, all stored records are dropped, too.
    mutating func recoverPlace() throws {
        if let cursor = storage.memo.cursor, !ServerAnswer.isCursor(cursor) {
            storage.memo.cursor = nil
            storage.memo.isInitialSyncRunning = false
        }
        guard !(0...ReplicaMemo.initialSyncMax).contains(storage.memo.initialSync) else { return }
        try dropRecords()
        storage.memo.initialSync = 0
    }

    private mutating func dropRecords() throws {
        try storage.removeAllRecords()
        try storage.removeOverlays()
        storage.memo.cursor = nil
        storage.memo.isInitialSyncRunning = false
        storage.memo.hasReadAll = false
        if storage.memo.recovery != .none { storage.memo.recovery = .reading }
    }
}

/// A view of the store as the older version of the app showed it right before the update.
private struct OlderView<Storage: ReplicaStorage> {
    let replica: Replica<Storage>

    init(storage: Storage, schema: SyncSchema) {
        replica = Replica(opened: storage, schema: schema)
    }

    /// Returns the keys of the records that have unsent changes by the older version of the app or by versions before
    /// it.
    func edited() throws -> [RecordKey] {
        try replica.schema.kinds.keys.sorted().flatMap { entity in
            try replica.storage.pendingKeys(of: entity, version: replica.schema.header)
                .union(replica.storage.overlayKeys(of: entity)).map { RecordKey(entity: entity, id: $0) }
        }
    }

    func shown(_ key: RecordKey) throws -> [String: Value]? { try replica.shown(key) }
}
