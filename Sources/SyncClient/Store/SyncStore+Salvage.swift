public import Foundation
import WireFormats

extension SyncStore {
    /// The result of salvaging a damaged store.
    public struct Salvaged: Sendable, Hashable {
        /// The number of changes in the new store's outbox. They were made by the user, and the server has not answered
        /// them.
        public let changes: Int
        /// True if the outbox could be read to its end. If not, some changes may be in the damaged file only.
        public let isWhole: Bool
        /// The new location of the damaged file.
        public let damaged: URL
    }

    /// Moves a damaged file aside, and creates a new store with every change that can still be read from its outbox.
    /// The next sync reads the records from the server again. The damaged file and its log are not changed.
    ///
    /// - Throws: `SyncStoreError`, and the errors of moving a file.
    public static func salvage(at url: URL, schema: SyncSchema) throws -> Salvaged {
        let files = FileManager.default
        let aside = url.deletingLastPathComponent().appending(
            path: "\(url.lastPathComponent).damaged-\(milliseconds(Date()) / 1000)-\(UUID().uuidString.prefix(8))"
        )
        for ending in ["", "-wal", "-shm"] where files.fileExists(atPath: url.path + ending) {
            try files.moveItem(atPath: url.path + ending, toPath: aside.path + ending)
        }
        let storage = try SQLiteStorage(path: url.path, schema: schema)
        var (count, isWhole) = (0, true)
        try storage.transaction {
            do {
                // A connection that may write would merge the log into the damaged file when it ends.
                let damaged = try SQLiteDatabase(path: aside.path, isReader: true)
                try SQLiteStorage.forEachPending(in: damaged) { change in
                    try storage.append(
                        change.key, change.operation, stamp: change.stamp, version: change.version, json: change.json,
                        isMassDeletion: change.isMassDeletion)
                    // Opening the store replaces stamps of a clock that is not plausible.
                    storage.memo.clock = max(storage.memo.clock, change.stamp)
                    count += 1
                }
                for conflict in (try? SQLiteStorage.conflicts(in: damaged)) ?? [] { try storage.append(conflict) }
            } catch let error as SyncStoreError where error.reason == .damaged || error.reason == .other {
                isWhole = false
            }
        }
        return Salvaged(changes: count, isWhole: isWhole, damaged: aside)
    }
}
