public import Foundation
import WireFormats

extension SyncStore {
    /// What was left of a damaged store.
    public struct Salvaged: Sendable, Hashable {
        /// Changes that the user made and the server has not answered, which are in the new store.
        public let changes: Int
        /// Whether the outbox could be read to its end. If not, some changes may be in the damaged file only.
        public let isWhole: Bool
        /// Where the damaged file is now.
        public let damaged: URL
    }

    /// Puts a damaged file aside, and makes a new store with what its outbox still has. What the server knows is read
    /// from it again.
    ///
    /// - Throws: `SyncStoreError`, and what moving a file throws. The damaged file is never changed.
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
                let damaged = try SQLiteDatabase(path: aside.path)
                try SQLiteStorage.forEachPending(in: damaged) { change in
                    try storage.append(
                        change.key, change.operation, stamp: change.stamp, version: change.version, json: change.json,
                        isMassDeletion: change.isMassDeletion)
                    // Of a clock that was not to be believed, opening the store makes new ones.
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
