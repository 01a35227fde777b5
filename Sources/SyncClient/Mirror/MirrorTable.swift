import WireFormats

/// The mirror's copy of an app's own store, in tables of the `SyncStore` beside it.
struct MirrorTable {
    /// The mirror's knowledge of one record of the app's own store, stored as a row of the copy.
    struct Row {
        /// The record as the mirror last saw it in the app's own store; `nil` if the mirror has not seen it yet.
        var base: [String: Value]?
        /// The values that the mirror is writing into the record. If the write is interrupted, finding these values
        /// later is not an edit by the user.
        var intended: [String: Value]?
        /// The record as the mirror saw it before an update of the app. It is `nil` except while the mirror reads the
        /// updated app's whole store. The mirror finds the user's edits during this reading by comparing them with it.
        var former: [String: Value]?
    }

    /// The progress of a mirror, which is stored with its tables.
    struct Memo: Equatable {
        var identity: String?
        /// The token from which the next changes of the app's own store will be read. It is `nil` until all records of
        /// that store were read once.
        var token: String?
        /// The number of times that reading all records of the app's own store has begun.
        var scan: Int64 = 0
        /// True while the mirror reads the app's own store after an update of the app. The app's own code has migrated
        /// that store, and the migration is not an edit by the user.
        var isRebasing = false
    }

    let storage: SQLiteStorage
    private var database: SQLiteDatabase { storage.database }

    init(_ storage: SQLiteStorage) { self.storage = storage }

    // MARK: How far it is

    func memo() throws -> Memo {
        try database.first("SELECT identity, token, walk, is_rebasing FROM mirror") { row in
            Memo(
                identity: row.text(0), token: row.text(1), scan: min(max(row.int(2), 0), ReplicaMemo.initialSyncMax),
                isRebasing: row.int(3) != 0)
        } ?? Memo()
    }

    func set(_ memo: Memo) throws {
        try database.run("DELETE FROM mirror")
        try database.run(
            "INSERT INTO mirror (identity, token, walk, is_rebasing) VALUES (?, ?, ?, ?)", .init(memo.identity),
            .init(memo.token), .int(memo.scan),
            .int(memo.isRebasing ? 1 : 0))
    }

    /// Empties the mirror's copy, and begins to mirror the app's own store that has this identity.
    func begin(_ identity: String) throws {
        try database.execute("DELETE FROM mirror_record")
        try set(Memo(identity: identity))
        try watch()
        try touchAll()
    }

    // MARK: Records of the app's own store

    func row(_ key: RecordKey, _ kind: RecordKind) throws -> Row? {
        try database.first(
            "SELECT base, intended, former FROM mirror_record WHERE entity = ? AND id = ?", .text(key.entity),
            .text(key.id.text)
        ) { row in
            Row(
                base: try storage.fields(row, 0, kind), intended: try storage.fields(row, 1, kind),
                former: try storage.fields(row, 2, kind))
        }
    }

    func has(_ key: RecordKey) throws -> Bool {
        try database.first(
            "SELECT 1 FROM mirror_record WHERE entity = ? AND id = ?", .text(key.entity), .text(key.id.text)
        ) { _ in true } ?? false
    }

    func set(
        _ key: RecordKey, _ row: Row, _ kind: RecordKind, scan: Int64, in table: StaticString = "mirror_record"
    ) throws {
        let texts = [row.base, row.intended, row.former].map { fields in fields.map { storage.text($0, kind) } }
        try database.run(
            "INSERT OR REPLACE INTO \(table) (entity, id, base, intended, former, walk) VALUES (?, ?, ?, ?, ?, ?)",
            .text(key.entity), .text(key.id.text), .init(texts[0]), .init(texts[1]), .init(texts[2]), .int(scan))
    }

    func remove(_ key: RecordKey) throws {
        try database.run("DELETE FROM mirror_record WHERE entity = ? AND id = ?", .text(key.entity), .text(key.id.text))
    }

    func see(_ key: RecordKey, scan: Int64) throws {
        try database.run(
            "UPDATE mirror_record SET walk = ? WHERE entity = ? AND id = ?", .int(scan), .text(key.entity),
            .text(key.id.text))
    }

    /// Returns at most `count` records of the mirror's copy that were missing in a reading of the app's whole store.
    ///
    /// - Parameter scan: the number of this reading. Each reading of the whole store gets the next number.
    func unseen(since scan: Int64, first count: Int) throws -> [RecordKey] {
        var keys: [RecordKey] = []
        try database.forEach(
            "SELECT entity, id FROM mirror_record WHERE walk < ? LIMIT ?", .int(scan), .int(Int64(count))
        ) { keys.append(MirrorTable.key($0)) }
        return keys
    }

    private static func key(_ row: SQLiteDatabase.Row) -> RecordKey {
        RecordKey(entity: row.text(0) ?? "", id: RecordID(row.text(1) ?? ""))
    }

    // MARK: What the app's own store does not have yet

    /// Returns at most `count` records that may differ between the `SyncStore` and the app's own store. Only records
    /// with a number greater than `number` are returned, in ascending order. A record that changes again gets a new
    /// number.
    func touched(after number: Int64, first count: Int) throws -> [(number: Int64, key: RecordKey)] {
        var keys: [(number: Int64, key: RecordKey)] = []
        try database.forEach(
            "SELECT entity, id, number FROM mirror_touched WHERE number > ? ORDER BY number LIMIT ?", .int(number),
            .int(Int64(count))
        ) { keys.append(($0.int(2), MirrorTable.key($0))) }
        return keys
    }

    func untouch(_ number: Int64) throws {
        try database.run("DELETE FROM mirror_touched WHERE number = ?", .int(number))
    }

    func isTouched(_ key: RecordKey) throws -> Bool {
        try database.first(
            "SELECT 1 FROM mirror_touched WHERE entity = ? AND id = ?", .text(key.entity), .text(key.id.text)
        ) { _ in true } ?? false
    }

    func touch(_ key: RecordKey) throws {
        try database.run(
            "INSERT OR REPLACE INTO mirror_touched (entity, id) VALUES (?, ?)", .text(key.entity), .text(key.id.text))
    }

    /// Marks every record of the `SyncStore` and of the app's own store as one that may differ between the two.
    private func touchAll() throws {
        for table in ["record", "change", "overlay", "mirror_record"] {
            try database.execute("INSERT OR REPLACE INTO mirror_touched (entity, id) SELECT entity, id FROM \(table)")
        }
    }

    /// Creates triggers for later changes of the `SyncStore` by any process. Each trigger marks the changed record as
    /// one that may differ from the app's own store.
    private func watch() throws {
        for (table, events) in [
            ("record", ["INSERT", "UPDATE", "DELETE"]), ("change", ["INSERT", "DELETE"]),
            ("overlay", ["INSERT", "DELETE"]),
        ] {
            for event in events {
                let row = event == "DELETE" ? "OLD" : "NEW"
                try database.execute(
                    """
                    CREATE TRIGGER IF NOT EXISTS mirror_\(table)_\(event.lowercased()) AFTER \(event) ON \(table) BEGIN
                        INSERT OR REPLACE INTO mirror_touched (entity, id) VALUES (\(row).entity, \(row).id); END
                    """)
            }
        }
    }

    // MARK: An update of the app

    /// Migrates the mirror's copy to another version of the app, after the records of the `SyncStore` were migrated.
    ///
    /// - Parameter body: returns the records that a record becomes in the new version: one, several or none.
    func migrate(
        from kinds: [String: RecordKind], to newKinds: [String: RecordKind],
        _ body: (RecordKey, KnownRecord) throws -> [(key: RecordKey, record: KnownRecord)]
    ) throws {
        var memo = try memo()
        guard memo.identity != nil else { return }
        try database.execute(StoreFormat.mirrorTable("mirror_rewritten"))
        try database.forEach("SELECT entity, id, base FROM mirror_record") { row in
            let key = MirrorTable.key(row)
            guard let kind = kinds[key.entity], let base = try storage.fields(row, 2, kind) else { return }
            let seen = KnownRecord(fields: base, stamp: 1, created: 1, initialSync: 0)
            for (key, record) in try body(key, seen) {
                guard let kind = newKinds[key.entity] else { continue }
                try set(key, Row(base: record.fields), kind, scan: memo.scan, in: "mirror_rewritten")
            }
        }
        try database.execute("DROP TABLE mirror_record; ALTER TABLE mirror_rewritten RENAME TO mirror_record")
        memo.isRebasing = true
        try set(memo)
        try watch()
        try touchAll()
    }

    /// Ends the reading of the app's whole store that follows an update of the app.
    func endRebasing() throws {
        try database.execute("UPDATE mirror_record SET former = NULL WHERE former IS NOT NULL")
        var memo = try memo()
        memo.isRebasing = false
        try set(memo)
    }

    /// Deletes the mirror's copy if it cannot be read any more. The mirror then starts as if it had not seen the app's
    /// own store before.
    func forget() throws {
        if let identity = try memo().identity { try begin(identity) }
    }
}
