import Foundation
import WireFormats

/// The tables of a store's SQLite file, and their migrations.
enum StoreFormat {
    /// Returns the SQL that creates a table of this name for records as the server sent them.
    static func recordTable(_ name: String) -> String {
        """
        CREATE TABLE \(name) (
            entity TEXT NOT NULL, id TEXT NOT NULL, stamp INTEGER NOT NULL, created INTEGER NOT NULL,
            walk INTEGER NOT NULL, stamps TEXT, absent TEXT, fields TEXT, PRIMARY KEY (entity, id)) WITHOUT ROWID;
        """
    }

    /// Returns the SQL that creates a table named `name` for the mirror's copy of the app's own store. `SyncMirror`
    /// finds the user's edits by comparing the app's own store with this copy.
    static func mirrorTable(_ name: String) -> String {
        """
        CREATE TABLE \(name) (
            entity TEXT NOT NULL, id TEXT NOT NULL, base TEXT, intended TEXT, former TEXT, walk INTEGER NOT NULL,
            PRIMARY KEY (entity, id)) WITHOUT ROWID;
        """
    }

    /// The SQL that creates an index of the tombstones (deleted records), so that old ones are found without a full
    /// scan.
    static let tombstoneIndex = "CREATE INDEX record_deleted ON record (stamp) WHERE fields IS NULL;"

    /// The migrations of a store's tables, one for each change of the format. SQLite's `user_version` is the number of
    /// migrations that a file has had. New migrations are appended; existing ones never change.
    private static let migrations = [
        """
        \(recordTable("record"))
        \(tombstoneIndex)
        CREATE TABLE change (
            place INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, id TEXT NOT NULL, op TEXT NOT NULL,
            stamp INTEGER NOT NULL, version TEXT NOT NULL, json TEXT NOT NULL, is_mass_deletion INTEGER NOT NULL);
        CREATE INDEX change_record ON change (entity, id);
        CREATE INDEX change_deletion ON change (place) WHERE op = 'delete';
        CREATE TABLE overlay (
            entity TEXT NOT NULL, id TEXT NOT NULL, fields TEXT, PRIMARY KEY (entity, id)) WITHOUT ROWID;
        CREATE TABLE aside (
            entity TEXT NOT NULL, id TEXT NOT NULL, stamp INTEGER NOT NULL, created INTEGER NOT NULL,
            walk INTEGER NOT NULL, stamps TEXT, absent TEXT, fields TEXT, version TEXT NOT NULL,
            PRIMARY KEY (entity, id)) WITHOUT ROWID;
        CREATE TABLE conflict (
            number INTEGER PRIMARY KEY AUTOINCREMENT, verdict TEXT NOT NULL, entity TEXT NOT NULL, id TEXT NOT NULL,
            code TEXT, detail TEXT, kept TEXT NOT NULL, change TEXT NOT NULL);
        CREATE TABLE memo (
            device TEXT NOT NULL, version TEXT NOT NULL, cursor TEXT, clock INTEGER NOT NULL,
            standing INTEGER NOT NULL, replaced_up_to INTEGER NOT NULL, server_milliseconds INTEGER NOT NULL,
            walk INTEGER NOT NULL, is_walking INTEGER NOT NULL, recovery TEXT NOT NULL, has_read_all INTEGER NOT NULL,
            file INTEGER);
        """,
        """
        \(mirrorTable("mirror_record"))
        CREATE TABLE mirror_touched (
            number INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (entity, id));
        CREATE TABLE mirror (identity TEXT, token TEXT, walk INTEGER NOT NULL, is_rebasing INTEGER NOT NULL);
        """,
    ]

    /// Creates the tables in a new file, or migrates the tables of an older release to the format of this one.
    static func prepare(_ database: SQLiteDatabase, _ path: String, _ schema: SyncSchema) throws {
        // FULL: a commit is on disk when it returns, whatever then happens to the machine.
        // 8 MB of pages in memory: ids are random, so a page of records is spread over all of a table.
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8000")
        func done() throws -> Int { Int(try database.first("PRAGMA user_version") { $0.int(0) } ?? 0) }
        if try done() == migrations.count { return }
        try database.execute("BEGIN IMMEDIATE")
        do {
            // Another process may have been quicker.
            let before = try done()
            guard (0...migrations.count).contains(before) else {
                throw SyncStoreError(
                    .tooNew, "the store \(path) was written by a newer release of the library; update the app")
            }
            for migration in migrations[before...] { try database.execute(migration) }
            if before == 0 {
                try database.run(
                    "INSERT INTO memo VALUES (?, ?, NULL, 0, 0, 0, 0, 0, 0, 'none', 0, NULL)",
                    .text(ID.random().description),
                    .text(schema.header))
            }
            try database.execute("PRAGMA user_version = \(migrations.count); COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    static func memo(_ database: SQLiteDatabase) throws -> ReplicaMemo? {
        try database.first(
            """
            SELECT device, version, cursor, clock, walk, is_walking, recovery, has_read_all, replaced_up_to,
                server_milliseconds, standing FROM memo
            """
        ) { row in
            guard let device = row.text(0).flatMap({ ID($0) }), let version = row.text(1) else { return nil }
            var memo = ReplicaMemo(device: device, version: version)
            memo.cursor = row.text(2)
            memo.clock = row.int(3)
            memo.initialSync = row.int(4)
            memo.isInitialSyncRunning = row.int(5) != 0
            memo.recovery = ReplicaMemo.Recovery(rawValue: row.text(6) ?? "") ?? .none
            memo.hasReadAll = row.int(7) != 0
            memo.replacedUpTo = row.int(8)
            memo.serverMilliseconds = row.int(9)
            memo.latestAcceptedStamp = row.int(10)
            return memo
        } ?? nil
    }

    static func write(_ memo: ReplicaMemo, to database: SQLiteDatabase) throws {
        try database.run(
            """
            UPDATE memo SET device = ?, version = ?, cursor = ?, clock = ?, walk = ?, is_walking = ?, recovery = ?,
            has_read_all = ?, replaced_up_to = ?, server_milliseconds = ?, standing = ?
            """, .text(memo.device.description), .text(memo.version), .init(memo.cursor), .int(memo.clock),
            .int(memo.initialSync), .int(memo.isInitialSyncRunning ? 1 : 0), .text(memo.recovery.rawValue),
            .int(memo.hasReadAll ? 1 : 0), .int(memo.replacedUpTo), .int(memo.serverMilliseconds),
            .int(memo.latestAcceptedStamp))
    }

    /// Gives a store a new device id if its file is a copy or was restored from a backup. The file's inode number then
    /// differs from the one that the store contains.
    ///
    /// The server could otherwise take an increment by one store for a repetition of an increment by the other. Both
    /// stores could also make the same stamp.
    static func giveCopiesTheirOwnID(_ storage: SQLiteStorage, _ url: URL) throws {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        guard let file = (attributes?[.systemFileNumber] as? NSNumber)?.int64Value else { return }
        let before = try storage.database.first("SELECT file FROM memo") { row in
            row.text(0) == nil ? nil : row.int(0)
        }
        if case .some(.some(file)) = before { return }
        if case .some(.some) = before { storage.memo.device = ID.random() }
        try storage.database.run("UPDATE memo SET file = ?", .int(file))
    }
}
